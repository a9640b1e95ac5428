/** Runs tests of workflows: all in one database in memory, each in a world of its own, without calls to the outside. */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { ProblemCode } from '../../contract/problems/index.js';
import { rewriteJson } from '../../core/content/rewrite-json.js';
import { listUnasked, type TestChange, updateTest, type WrittenKey } from '../../core/workflow-test/update-test.js';
import type { Store } from '../../store/open-store.js';
import { type Paths, refuseFindings, toParts } from '../authoring/author.js';
import type { Composition, OpenArchive } from '../composition.js';
import {
  findFiles,
  type Finding,
  listTests,
  type LoadedTest,
  loadDocuments,
  type Place,
  toFinding,
  validateLoaded,
} from '../documents/index.js';
import { openAnswerBook } from '../dry-run/answer-book.js';
import { toStorable } from '../dry-run/plant.js';
import { replaceFiles } from '../write-files.js';
import { type Played, type PlayedOnce, runTest, type TestBench } from './run-test.js';

export type { TestChange } from '../../core/workflow-test/update-test.js';
export type { TestComplaint } from './run-test.js';

export interface TestResult extends Played {
  readonly file: string;
  readonly label: string;
  /** `broken`: it could not be run, and `findings` say why. */
  readonly status: 'passed' | 'failed' | 'broken';
  readonly findings: readonly Finding[];
  /** What an update did to its file, in order. */
  readonly changes?: readonly TestChange[];
  /** Answers that no call can ask for, and that the update left in the file. */
  readonly kept_answers?: readonly WrittenKey[];
}

export interface TestReport {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly broken: number;
  readonly tests: readonly TestResult[];
}

interface TestRequest extends Paths {
  /** Whether files are brought up to date, and whether answers that no call can ask for are dropped then. */
  readonly update?: { readonly drops: boolean } | undefined;
  readonly signal: AbortSignal;
  readonly onResult: (result: TestResult) => void;
}

/** Runs every test of the paths. A failed test is a result, not a refusal; no test at all is a refusal. */
export async function testPaths(composition: Composition, request: TestRequest): Promise<Outcome<TestReport>> {
  const found = await findTests(request);
  if (!found.ok) return found;
  const book = openAnswerBook();
  const opened = await composition.openDryEngine(book.answerCall);
  if (!opened.ok) return opened;
  const archive = openWhenAsked(composition);
  try {
    const bench = { engine: opened.value, book, signal: request.signal };
    const tests: TestResult[] = [];
    for (const { file, place } of found.value) {
      if (request.signal.aborted) break;
      const asked = { file, place, components: archive };
      const { update } = request;
      const { result } = await (update ? updateFile(bench, asked, update) : testFile(bench, asked));
      // The outcome of a stopped test means nothing.
      if (request.signal.aborted) break;
      request.onResult(result);
      tests.push(result);
    }
    return succeed(summarise(tests));
  } finally {
    await archive.close();
    await opened.value.close();
  }
}

interface TestFile {
  readonly file: string;
  /** With the root for the test's references. */
  readonly place: Place;
}

async function findTests({ paths, place }: Paths): Promise<Outcome<readonly TestFile[]>> {
  const found = await Promise.all(paths.map(async (path) => ({ path, ...(await findFiles(path, place)) })));
  const faults = found.flatMap(({ problems }) =>
    problems.map(({ path, problem }) => toFinding(problem, { file: path, line: 0, column: 0 })),
  );
  if (faults.length > 0) return refuseFindings(faults);
  const files = found.flatMap(({ path, files: all, root }) => {
    const isFile = all.length === 1 && path.endsWith('.json');
    const tests = isFile ? all : all.filter((file) => file.endsWith('.test.json'));
    return tests.map((file) => [file, { file, place: { ...place, root } }] as const);
  });
  if (files.length > 0) return succeed([...new Map(files).values()]);
  return refuse(problem('NO_TESTS', { paths }));
}

interface AskedFile extends TestFile {
  readonly components: Pick<Store['components'], 'closure'>;
}

interface TestedFile {
  readonly result: TestResult;
  /** Absent where the test could not be played. */
  readonly once?: PlayedOnce & Pick<LoadedTest, 'test'>;
}

/** @param isMendable whether a finding in the file itself does not keep the test from being played */
async function testFile(
  bench: TestBench,
  { file, place, components }: AskedFile,
  isMendable: (finding: Finding) => boolean = () => false,
): Promise<TestedFile> {
  const parts = { ...toParts(bench.engine.authoring, place), components };
  const loaded = await loadDocuments([file], place, parts.shipped);
  const validation = await validateLoaded(parts, loaded);
  const name = loaded.files.find(({ path }) => path === file)?.name ?? file;
  const errors = validation.findings.filter(({ severity }) => severity === 'error');
  if (!errors.every((finding) => finding.file === name && isMendable(finding))) return { result: broken(name, errors) };
  const test = listTests(loaded).find((item) => item.file.path === file);
  if (test === undefined)
    return { result: broken(name, [toFinding(problem('NO_TESTS', {}), { file: name, line: 1, column: 1 })]) };
  const { scenario } = test;
  const hash =
    'hash' in scenario ? scenario.hash : validation.components.find(({ path }) => path === scenario.path)?.hash;
  if (hash === undefined) throw new Error(`the scenario of ${file} was found and not linked`);
  if ('hash' in scenario)
    await bench.engine.store.components.put(toStorable(await components.closure('scenario', hash)));
  await bench.engine.store.components.put(validation.components.map(({ path: _path, ...component }) => component));
  const ran = await runTest(bench, test, hash);
  if (!ran.ok)
    return {
      result: broken(
        name,
        ran.problems.map((problem) => toFinding(problem, { file: name, line: 1, column: 1 })),
      ),
    };
  const { played } = ran.value;
  const once = { ...ran.value, test: test.test };
  if (errors.length > 0) return { result: { ...broken(name, errors), label: test.test.label }, once };
  const status = played.complaints.length === 0 ? 'passed' : 'failed';
  return { result: { file: name, label: test.test.label, status, ...played, findings: [] }, once };
}

/** Findings of a test whose scenario has changed. */
const AGED: readonly ProblemCode[] = ['KEY_NEVER_ASKED', 'TEST_NAMES_NOTHING'];

/** Plays a test, and writes what has changed into its file, until nothing is left to write. */
async function updateFile(
  bench: TestBench,
  asked: AskedFile,
  { drops }: { readonly drops: boolean },
): Promise<TestedFile> {
  const changes: TestChange[] = [];
  for (;;) {
    const { result, once } = await testFile(bench, asked, ({ code }) => AGED.includes(code));
    if (once === undefined || bench.signal.aborted) return { result: { ...result, changes } };
    const { played, ends_as_expected } = once;
    const updated = updateTest({ ...once, differences: ends_as_expected ? played.complaints : [] }, drops);
    if (updated.changes.length === 0)
      return { result: { ...result, changes, kept_answers: listUnasked(once.program, once.test) } };
    const text = rewriteJson(await readFile(asked.file, 'utf8'), updated.test as unknown as Json);
    const written = await replaceFiles(dirname(asked.file), [{ path: basename(asked.file), text }]);
    if (!written.ok) {
      const place = { file: result.file, line: 0, column: 0 };
      return { result: { ...result, findings: written.problems.map((problem) => toFinding(problem, place)), changes } };
    }
    changes.push(...updated.changes);
  }
}

function broken(file: string, findings: readonly Finding[]): TestResult {
  return {
    file,
    label: '',
    status: 'broken',
    turns: 0,
    calls: 0,
    rejected_answers: 0,
    rejections: [],
    complaints: [],
    unused_answers: [],
    findings,
  };
}

function summarise(tests: readonly TestResult[]): TestReport {
  const count = (status: TestResult['status']): number => tests.filter((test) => test.status === status).length;
  const [passed, failed, brokenCount] = [count('passed'), count('failed'), count('broken')];
  return { ok: failed + brokenCount === 0, passed, failed, broken: brokenCount, tests };
}

/** The database for tests that name a scenario by hash: opened for the first of them, read only. */
function openWhenAsked(composition: Composition): Pick<Store['components'], 'closure'> & { close(): Promise<void> } {
  let opening: Promise<Outcome<OpenArchive>> | undefined;
  return {
    closure: async (kind, hash) => {
      opening ??= composition.openArchive();
      const opened = await opening;
      return opened.ok ? opened.value.store.components.closure(kind, hash) : [];
    },
    close: async () => {
      const opened = await opening;
      if (opened?.ok === true) await opened.value.close();
    },
  };
}
