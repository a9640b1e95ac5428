import { dirname } from 'node:path';
import type { JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import type { ComponentKind, ComponentReference } from '../../core/protocol/component.js';
import { listReferences } from '../../core/workflow/link/references.js';
import type { Answers } from '../../generated/answers.js';
import type { WorkflowTest } from '../../generated/workflow-test.js';
import type { LoadedFile, LoadedFiles } from './load.js';

interface TestDocument {
  readonly test: WorkflowTest;
  readonly answers: Answers | undefined;
}

interface TestComplaints {
  readonly test: readonly Problem[];
  readonly answers: readonly Problem[];
}

/** Finds expectations of a test that can never hold; undefined where its scenario cannot run. */
export type CheckTest = (
  find: (kind: ComponentKind, hash: string) => JsonObject | undefined,
  scenarioHash: string,
  document: TestDocument,
) => TestComplaints | undefined;

export interface FileComplaint {
  readonly path: string;
  readonly problem: Problem;
}

export interface LoadedTest extends TestDocument {
  readonly file: LoadedFile;
  readonly answers_file: LoadedFile | undefined;
  readonly scenario: { readonly path: string } | { readonly hash: string };
}

/** Reads the tests among files. Tests without a value, and tests with broken references, are left out. */
export function listTests({ files, resolve_path }: Pick<LoadedFiles, 'files' | 'resolve_path'>): readonly LoadedTest[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const fileAt = (from: string, path: string): LoadedFile | undefined => {
    const resolved = resolve_path(from, path);
    return resolved.ok ? byPath.get(resolved.value) : undefined;
  };
  return files.flatMap((file): readonly LoadedTest[] => {
    if (file.kind !== 'workflow_test' || file.source === undefined) return [];
    const test = file.source.value as unknown as WorkflowTest;
    const { scenario_ref, answers_ref } = test;
    const answersFile = answers_ref === undefined ? undefined : fileAt(file.path, answers_ref.path);
    const scenario = 'path' in scenario_ref ? fileAt(file.path, scenario_ref.path) : scenario_ref;
    if (scenario === undefined || (answers_ref !== undefined && answersFile?.source === undefined)) return [];
    const answers = answersFile?.source?.value as unknown as Answers | undefined;
    return [{ file, test, answers, answers_file: answersFile, scenario }];
  });
}

/** Scenarios that a test names by hash. */
export function listTested({ kind, source }: LoadedFile): readonly ComponentReference[] {
  if (kind !== 'workflow_test' || source === undefined) return [];
  return listReferences(kind, source.value).flatMap(({ wants, target }) =>
    wants === 'scenario' && 'hash' in target ? [{ kind: wants, hash: target.hash }] : [],
  );
}

interface TestSurroundings {
  readonly hashOfScenario: (path: string) => string | undefined;
  readonly check: (document: TestDocument, scenarioHash: string) => TestComplaints | undefined;
}

/** Checks the tests among files. A shared answer is reported where none of its tests can use it. */
export function complainOfTests(
  loaded: Pick<LoadedFiles, 'files' | 'resolve_path'>,
  surroundings: TestSurroundings,
): readonly FileComplaint[] {
  const tests = listTests(loaded);
  const complaints: FileComplaint[] = [];
  const unasked = new Map<string, readonly Problem[]>();
  for (const { file, answers_file, scenario, ...document } of tests) {
    const hash = 'hash' in scenario ? scenario.hash : surroundings.hashOfScenario(scenario.path);
    const found = hash === undefined ? undefined : surroundings.check(document, hash);
    if (found === undefined) continue;
    complaints.push(...found.test.map((problem) => ({ path: file.path, problem })));
    if (answers_file === undefined) continue;
    const earlier = unasked.get(answers_file.path);
    const here = new Set(found.answers.map(({ pointer }) => pointer));
    unasked.set(answers_file.path, earlier?.filter(({ pointer }) => here.has(pointer)) ?? found.answers);
  }
  for (const { path, found } of complainOfLoneAnswers(loaded, tests, surroundings)) unasked.set(path, found);
  return [...complaints, ...[...unasked].flatMap(([path, list]) => list.map((problem) => ({ path, problem })))];
}

/** Checks answers that no test names against the scenarios of their folder. An unused answer is a note. */
function complainOfLoneAnswers(
  { files }: Pick<LoadedFiles, 'files'>,
  tests: readonly LoadedTest[],
  { hashOfScenario, check }: TestSurroundings,
): readonly { readonly path: string; readonly found: readonly Problem[] }[] {
  const named = new Set(tests.map(({ answers_file }) => answers_file?.path));
  const lone = files.filter(({ kind, path, source }) => kind === 'answers' && source !== undefined && !named.has(path));
  return lone.flatMap(({ path, source }) => {
    const answers = source?.value as unknown as Answers;
    const beside = files.filter(({ kind, path: other }) => kind === 'scenario' && dirname(other) === dirname(path));
    const found = beside.flatMap((scenario) => {
      const hash = hashOfScenario(scenario.path);
      const complaints =
        hash === undefined
          ? undefined
          : check({ test: { version: 1, label: 'answers', scenario_ref: { hash }, expect: {} }, answers }, hash);
      return complaints === undefined ? [] : [complaints.answers];
    });
    const [first, ...others] = found;
    if (first === undefined) return [];
    const isNowhere = ({ pointer }: Problem): boolean =>
      others.every((list) => list.some((other) => other.pointer === pointer));
    return [{ path, found: first.filter(isNowhere).map((problem) => ({ ...problem, severity: 'note' as const })) }];
  });
}
