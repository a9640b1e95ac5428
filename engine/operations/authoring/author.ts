import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { checkAnswerKeys, checkAnswers, checkTest } from '../../core/workflow-test/check-test.js';
import type { ComponentKind } from '../../core/protocol/component.js';
import type { Scenario } from '../../generated/scenario.js';
import type { WorkflowTest } from '../../generated/workflow-test.js';
import {
  type DocumentParts,
  type Finding,
  loadDocuments,
  loadSent,
  type Place,
  putChecked,
  putDocuments,
  type PutParts,
  type PutResult,
  SENT_ROOT,
  type SentDocument,
  storeDocuments,
  validateDocuments,
  validateLoaded,
  type Validation,
  watchDocuments,
} from '../documents/index.js';
import type { Authoring, Engine } from '../engine.js';
import { compileScenario, type UsableScenario } from '../running/load-program.js';
import { locateIn } from '../settling/read-answer-file.js';
import { digestFiles } from './scenario-files.js';

/** Files and folders, and the root that their references stay below. */
export interface Paths {
  readonly place: Place;
  readonly paths: readonly string[];
}

type DocumentShelf = Pick<Engine, 'authoring' | 'store'>;

/** Checks files and folders, without a database and without a call. */
export function checkPaths(authoring: Authoring, { place, paths }: Paths): Promise<Validation> {
  return validateDocuments(toParts(authoring, place), paths);
}

/** Checks files and folders, and again whenever one of them, or a file that they refer to, changes; until stopped. */
export function watchPaths(
  authoring: Authoring,
  { place, paths }: Paths,
  signal: AbortSignal,
): AsyncIterable<Validation> {
  return watchDocuments(toParts(authoring, place), paths, signal);
}

/** Checks files and folders and stores them, all or none. */
export function putPaths(engine: Engine, { place, paths }: Paths): Promise<PutResult> {
  return putDocuments(toPutParts(engine, place), paths);
}

/** Checks the documents of a request, which may refer to stored ones by hash. Nothing is stored. */
export async function checkSent(
  engine: DocumentShelf,
  documents: readonly SentDocument[],
): Promise<Outcome<Validation>> {
  const loaded = loadSent(documents, engine.authoring.shippedSchemas);
  return loaded.ok ? succeed(await validateLoaded(toPutParts(engine, SENT), loaded.value)) : loaded;
}

/**
 * Checks the documents of a request and stores them, all or none.
 * @param wanted the kind of one document that is sent alone
 * @returns a refusal with the findings, each at its place in its document, or of a document of another kind
 */
export async function putSent(
  engine: DocumentShelf,
  documents: readonly SentDocument[],
  wanted?: ComponentKind,
): Promise<Outcome<Stored>> {
  const checked = await checkSent(engine, documents);
  if (!checked.ok) return checked;
  const { ok, components } = checked.value;
  const isWanted = components.some(({ kind, path }) => kind === wanted && path.startsWith(`${SENT_ROOT}/`));
  if (ok && wanted !== undefined && !isWanted)
    return refuse(
      problem('FIELD_INVALID', { kind: 'invalid', name: 'content', wanted: `a ${wanted}` }, { pointer: '/content' }),
    );
  const put = await putChecked(toPutParts(engine, SENT), checked.value);
  if (!put.ok) return refuseFindings(put.findings.filter(({ severity }) => severity === 'error'));
  const { ok: _ok, ...stored } = put;
  return succeed(stored);
}

export type Stored = Omit<Extract<PutResult, { readonly ok: true }>, 'ok'>;

const SENT: Place = { working_folder: SENT_ROOT };

/** Documents to be stored may refer to stored ones by hash. */
function toPutParts({ authoring, store: { components } }: DocumentShelf, place: Place): PutParts {
  return { ...toParts(authoring, place), components };
}

/**
 * Checks a file or folder with all that it refers to, and gives its scenario. Nothing is stored yet.
 * @returns a refusal where a document does not validate, or where there is not exactly one scenario
 */
export async function readScenario(
  engine: DocumentShelf,
  path: string,
  place: Place,
): Promise<Outcome<UsableScenario>> {
  const parts = toPutParts(engine, place);
  const { ok, findings, components } = await validateDocuments(parts, [path]);
  if (!ok) return refuseFindings(findings);
  const scenarios = new Map(
    components.flatMap(({ kind, hash, content }) => (kind === 'scenario' ? [[hash, content] as const] : [])),
  );
  const [found] = scenarios;
  if (found === undefined) return refuse(problem('NO_SCENARIO', { path }));
  if (scenarios.size > 1) return refuse(problem('SEVERAL_SCENARIOS', { path, count: scenarios.size }));
  const [hash, content] = found;
  const store = async (): Promise<void> => void (await storeDocuments(parts, components));
  const files = await digestFiles(path, place, components, hash);
  return succeed({ hash, scenario: content as unknown as Scenario, files, store });
}

/**
 * Stores a file or folder with all that it refers to, and gives its scenario.
 * @returns the scenario's hash; a refusal as of `readScenario`, and then nothing is stored
 */
export async function putScenario(engine: Engine, path: string, place: Place): Promise<Outcome<string>> {
  const read = await readScenario(engine, path, place);
  if (!read.ok) return read;
  await read.value.store();
  return succeed(read.value.hash);
}

/** Problems with a scenario that was named by a path, each at its place in the file. */
export async function placeInScenario(
  authoring: Authoring,
  { place, paths }: Paths,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  const { files } = await loadDocuments(paths, place, authoring.shippedSchemas);
  return locateIn(files.find(({ kind }) => kind === 'scenario')?.source, problems);
}

/** Findings as the problems of a refusal, each at its place. */
export function refuseFindings(findings: readonly Finding[]): Refused {
  return refuse(...findings.map(({ file, line, column, ...rest }) => ({ ...rest, location: { file, line, column } })));
}

export function toParts(authoring: Authoring, place: Place): DocumentParts {
  return {
    place,
    shipped: authoring.shippedSchemas,
    validateDocument: authoring.validateDocument,
    checkScenario: (find, scenarioHash) => {
      const compiled = compileScenario(authoring, scenarioHash, find);
      return compiled.ok ? compiled.notes : compiled.problems;
    },
    checkTest: (find, scenarioHash, { test, answers }) => {
      const compiled = compileScenario(authoring, scenarioHash, find);
      const scenario = find('scenario', scenarioHash) as unknown as Scenario | undefined;
      if (compiled.program === undefined || scenario === undefined) return undefined;
      const own = present({ others: test.answers });
      const shared = present({ others: answers?.turns });
      return {
        test: [
          ...checkTest(compiled.program, scenario, test),
          ...checkAnswers(compiled.program, scenario, { turns: expectedToCommit(test), ...shared }, ['answers']),
        ],
        answers: [
          ...checkAnswerKeys(compiled.program, answers?.turns ?? {}, ['turns']),
          // Another test may expect the failure.
          ...checkAnswers(compiled.program, scenario, { turns: answers?.turns ?? {}, ...own }, ['turns']).map(asNote),
        ],
      };
    },
  };
}

function asNote(complaint: Problem): Problem {
  return { ...complaint, severity: 'note' };
}

/** The answers of a test that expects no failure: others may hold mistakes on purpose. */
function expectedToCommit({ answers = {}, expect }: WorkflowTest): NonNullable<WorkflowTest['answers']> {
  const fails = Object.values(expect.turns ?? {}).some(({ failure }) => failure !== undefined);
  return fails ? {} : answers;
}
