/** Runs tests of workflows: all in one database in memory, each in a world of its own, without calls to the outside. */
import { problem } from '../../contract/problem.js';
import type { ComponentStore } from '../../ports/components.js';
import { type Paths, refuseFindings, toParts } from '../author.js';
import type { Composition, OpenArchive } from '../composition.js';
import {
  findFiles,
  type Finding,
  listTests,
  loadDocuments,
  type Place,
  toFinding,
  validateLoaded,
} from '../documents/index.js';
import { openAnswerBook } from '../dry-run/answer-book.js';
import { toStorable } from '../dry-run/plant.js';
import { type Done, refuse, succeed } from '../engine.js';
import { type Played, runTest, type TestBench } from './run-test.js';

export type { TestComplaint } from './run-test.js';

export interface TestResult extends Played {
  readonly file: string;
  readonly label: string;
  /** `broken`: it could not be run, and `findings` say why. */
  readonly status: 'passed' | 'failed' | 'broken';
  readonly findings: readonly Finding[];
}

export interface TestReport {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly broken: number;
  readonly tests: readonly TestResult[];
}

interface TestRequest extends Paths {
  readonly signal: AbortSignal;
  readonly onResult: (result: TestResult) => void;
}

/** Runs every test of the paths. A failed test is a result, not a refusal; no test at all is a refusal. */
export async function testPaths(composition: Composition, request: TestRequest): Promise<Done<TestReport>> {
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
      const result = await testFile(bench, { file, place, components: archive });
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

async function findTests({ paths, place }: Paths): Promise<Done<readonly TestFile[]>> {
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

async function testFile(
  bench: TestBench,
  { file, place, components }: TestFile & { readonly components: Pick<ComponentStore, 'closure'> },
): Promise<TestResult> {
  const parts = { ...toParts(bench.engine.authoring, place), components };
  const loaded = await loadDocuments([file], place, parts.shipped);
  const validation = await validateLoaded(parts, loaded);
  const name = loaded.files.find(({ path }) => path === file)?.name ?? file;
  const errors = validation.findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return broken(name, errors);
  const test = listTests(loaded, () => true).find((item) => item.file.path === file);
  if (test === undefined) return broken(name, [toFinding(problem('NO_TESTS', {}), { file: name, line: 1, column: 1 })]);
  const { scenario } = test;
  const hash =
    'hash' in scenario ? scenario.hash : validation.components.find(({ path }) => path === scenario.path)?.hash;
  if (hash === undefined) throw new Error(`the scenario of ${file} was found and not linked`);
  if ('hash' in scenario)
    await bench.engine.store.components.put(toStorable(await components.closure('scenario', hash)));
  await bench.engine.store.components.put(validation.components.map(({ path: _path, ...component }) => component));
  const played = await runTest(bench, test, hash);
  if (!played.ok)
    return broken(
      name,
      played.problems.map((problem) => toFinding(problem, { file: name, line: 1, column: 1 })),
    );
  const status = played.value.complaints.length === 0 ? 'passed' : 'failed';
  return { file: name, label: test.test.label, status, ...played.value, findings: [] };
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
function openWhenAsked(composition: Composition): Pick<ComponentStore, 'closure'> & { close(): Promise<void> } {
  let opening: Promise<Done<OpenArchive>> | undefined;
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
