import type { Json, JsonObject } from '../../contract/json.js';
import { type Location, type Problem, problem } from '../../contract/problem.js';
import { findAt, isObject, overlaps, pointerTokens } from '../../core/content/json-pointer.js';
import type { ComponentKind, ComponentReference } from '../../core/protocol/component.js';
import { type DocumentProblem, isError } from '../../core/protocol/document-problem.js';
import { type DocumentKind, SCHEMA_OF_KIND } from '../../core/workflow/link/document-kind.js';
import { draftOf } from '../../core/workflow/link/draft.js';
import { type DocumentToLink, type LinkedDocument, linkDocuments, linkDrafts } from '../../core/workflow/link.js';
import { listReferences } from '../../core/workflow/link/references.js';
import { SHIPPED_PREFIX } from '../../core/workflow/link/resolve-path.js';
import type { Store } from '../../store/open-store.js';
import type { Place } from './find-files.js';
import { type Finding, sortFindings, toFinding } from './finding.js';
import { type LoadedFile, type LoadedFiles, loadDocuments } from './load.js';
import { complainOfStudies, listReplacing } from './studies.js';
import { type CheckTest, complainOfTests, type FileComplaint, listTested } from './tests.js';

type FindComponent = (kind: ComponentKind, hash: string) => JsonObject | undefined;

export interface DocumentParts {
  readonly place: Place;
  readonly shipped: ReadonlyMap<string, JsonObject>;
  readonly validateDocument: (kind: DocumentKind, document: Json) => readonly Problem[];
  /** The problems that keep a scenario from running. Its workflows are complete; other parts may be missing. */
  readonly checkScenario: (find: FindComponent, scenarioHash: string) => readonly DocumentProblem[];
  /** The expectations of a test that can never hold. Its scenario is complete. */
  readonly checkTest?: CheckTest;
  /** The store of documents; without it, references by hash that no file has are noted and not followed. */
  readonly components?: Pick<Store['components'], 'closure'>;
}

export interface Validation {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** How many files were checked. */
  readonly checked: number;
  /** JSON files below the folders that are no documents. */
  readonly left_out: readonly string[];
  /** The documents that can be stored, each after its references, shipped schemas included. */
  readonly components: readonly LinkedDocument[];
}

/** Checks files and folders, and all that they refer to, without a call to any source. All problems come at once. */
export async function validateDocuments(parts: DocumentParts, paths: readonly string[]): Promise<Validation> {
  return validateLoaded(parts, await loadDocuments(paths, parts.place, parts.shipped));
}

/** Checks documents that have been read: first each by itself, then their links, then every scenario. */
export async function validateLoaded(
  parts: DocumentParts,
  loaded: Pick<LoadedFiles, 'files' | 'resolve_path' | 'neighbours'> & Partial<Pick<LoadedFiles, 'left_out'>>,
): Promise<Validation> {
  const files = new Map(loaded.files.map((file) => [file.path, file]));
  const checked = loaded.files.map((file) => ({ file, problems: checkFile(parts, file) }));
  const isSound = soundnessOf(checked);
  const linking = linkDocuments(
    loaded.files.map((file) => ({ ...toLink(file), is_sound: isSound(file.path) })),
    loaded.resolve_path,
    loaded.neighbours,
  );
  const outside = await findOutside(parts, linking.linked, loaded.files);
  const drafts = loaded.files.map((file) => (isSound(file.path) ? file : toDraft(parts, file)));
  const isBroken = linking.problems.length > 0 || !loaded.files.every(({ path }) => isSound(path));
  const linked = isBroken ? linkDrafts(drafts.map(toLink), loaded.resolve_path) : linking.linked;
  const contents = contentsOf(linked, outside.found);
  const faults = new Map(checked.map(({ file, problems }) => [file.path, problems]));
  const isOwn = ({ path, problem }: FileComplaint): boolean =>
    isSound(path) || isBeside(getFile(files, path), problem, faults.get(path) ?? []);
  const found = checkScenarios(parts, linked, contents).filter(isOwn);
  const scenarios = found.filter(({ problem }) => !isOfPlugin(problem));
  const isNeeded = (path: string): boolean =>
    !listRead(linking.linked).has(path) || found.some((one) => one.path === path && isOfPlugin(one.problem));
  const tests = checkTests(parts, { ...loaded, files: drafts }, linked, contents).filter(isOwn);
  const studies = complainOfStudies(loaded, { ...parts, isSound });
  const problems = [
    ...checked.flatMap(({ file, problems }) =>
      problems.map((problem) => at(file, isOfPlugin(problem) && !isNeeded(file.path) ? toDenied(problem) : problem)),
    ),
    ...linking.problems.map(({ path, problem }) => at(getFile(files, path), problem)),
    ...outside.missing.flatMap((reference) => findReferring(loaded.files, reference, parts.components !== undefined)),
    ...[...scenarios, ...tests, ...studies].map(({ path, problem }) => at(getFile(files, path), problem)),
  ];
  const components = withoutUnused(linking.linked);
  const ok = !problems.some(isError);
  const replacing = listReplacing(loaded);
  const unread = (ok ? listUnread(components) : [])
    .filter(({ path }) => !replacing.has(path))
    .map(({ path, problem }) => at(getFile(files, path), problem));
  const own = loaded.files.filter(({ path, source }) => source !== undefined && !path.startsWith(SHIPPED_PREFIX));
  const { left_out = [] } = loaded;
  return { ok, findings: sortFindings([...problems, ...unread]), checked: own.length, left_out, components };
}

function checkFile(parts: DocumentParts, file: LoadedFile): readonly Problem[] {
  if (!file.source || file.kind === undefined || file.path.startsWith(SHIPPED_PREFIX)) return file.problems;
  return [...file.problems, ...parts.validateDocument(file.kind, file.source.value)];
}

function at(file: LoadedFile, problem: Problem): Finding {
  const top: Location = { file: file.name, line: 1, column: 1 };
  return toFinding(showingText(file, problem), file.source?.locate(problem.pointer ?? '', problem.offset) ?? top);
}

/** Problems of values whose message does not show the value. */
const OF_VALUES = ['BAD_VALUE', 'NO_ALTERNATIVE', 'UNEXPECTED_VALUE', 'WRONG_TYPE'];
const TEXT_MAX = 60;

/** The text that an author finds in the file. Validators leave it out, because of an answer redaction might hide it. */
function showingText({ source }: LoadedFile, problem: Problem): Problem {
  // As in `headers` that name `authorization`: the value may be a secret.
  const isOfValue = OF_VALUES.includes(problem.code) && problem.of_name !== true;
  const found = isOfValue && source ? findAt(source.value, pointerTokens(problem.pointer ?? '')) : undefined;
  if (found === undefined || (typeof found === 'object' && found !== null)) return problem;
  const text = JSON.stringify(found);
  if (text.length > TEXT_MAX || problem.message.includes(text)) return problem;
  return { ...problem, message: `${problem.message} (here: ${text})` };
}

function getFile(files: ReadonlyMap<string, LoadedFile>, path: string): LoadedFile {
  const file = files.get(path);
  if (!file) throw new Error(`${path} has not been loaded`);
  return file;
}

/** The hashes that linked documents name and that none of them has. */
async function findOutside(parts: DocumentParts, linked: readonly LinkedDocument[], files: readonly LoadedFile[]) {
  const here = new Set(linked.map(keyOf));
  const wanted = new Map(
    [...linked.flatMap(({ refers_to }) => refers_to), ...files.flatMap(listTested)].map((reference) => [
      keyOf(reference),
      reference,
    ]),
  );
  const found = new Map<string, JsonObject>();
  const missing: ComponentReference[] = [];
  for (const reference of [...wanted.values()].filter((item) => !here.has(keyOf(item)))) {
    const closure = (await parts.components?.closure(reference.kind, reference.hash)) ?? [];
    for (const record of closure) found.set(keyOf(record), record.content);
    if (closure.length === 0) missing.push(reference);
  }
  return { found, missing };
}

function keyOf({ kind, hash }: ComponentReference): string {
  return `${kind}/${hash}`;
}

function findReferring(
  files: readonly LoadedFile[],
  missing: ComponentReference,
  isLookedUp: boolean,
): readonly Finding[] {
  return files.flatMap((file) => {
    const references = file.source ? listReferences(file.kind, file.source.value) : [];
    const meant = references.filter(
      ({ wants, target }) => wants === missing.kind && 'hash' in target && target.hash === missing.hash,
    );
    return meant.map(({ pointer }) => {
      const unfollowed = isLookedUp
        ? problem('COMPONENT_MISSING', missing, { pointer })
        : problem('REFERENCE_UNCHECKED', missing, { pointer });
      return at(file, unfollowed);
    });
  });
}

function soundnessOf(
  checked: readonly { readonly file: LoadedFile; readonly problems: readonly Problem[] }[],
): (path: string) => boolean {
  const isBad = (problem: Problem): boolean => isError(problem) && !isOfPlugin(problem);
  const sound = new Set(checked.filter(({ problems }) => !problems.some(isBad)).map(({ file }) => file.path));
  return (path) => sound.has(path);
}

function toLink({ path, kind, source }: LoadedFile): DocumentToLink {
  return { path, kind, value: source?.value, is_sound: source !== undefined };
}

/** A file with the draft of its document: without a value where there is none. */
function toDraft({ shipped, validateDocument }: DocumentParts, file: LoadedFile): LoadedFile {
  const { kind, source } = file;
  const schema = kind === undefined || kind === 'json_schema' ? undefined : shipped.get(SCHEMA_OF_KIND[kind]);
  if (kind === undefined || schema === undefined || !isObject(source?.value)) return { ...file, source: undefined };
  // An interface is its plugin's matter; what a scenario asks of it is its name.
  const isOfInterface = ({ pointer = '' }: Problem): boolean => pointer.startsWith('/interface/');
  const draft = draftOf(schema, source.value, (value) =>
    validateDocument(kind, value).filter((one) => !isOfInterface(one)),
  );
  return { ...file, source: draft && { ...source, value: draft } };
}

/** Whether a problem of a document's draft is one of the document too, and none of the faults that were repaired. */
function isBeside({ source }: LoadedFile, { pointer = '' }: Problem, faults: readonly Problem[]): boolean {
  const place = pointerTokens(pointer);
  const isRepaired = (fault: Problem): boolean =>
    fault.code !== 'MISSING_FIELD' && overlaps(place, pointerTokens(fault.pointer ?? ''));
  return source !== undefined && findAt(source.value, place) !== undefined && !faults.some(isRepaired);
}

function checkTests(
  { checkTest }: DocumentParts,
  loaded: Pick<LoadedFiles, 'files' | 'resolve_path'>,
  linked: readonly LinkedDocument[],
  contents: ReadonlyMap<string, JsonObject>,
): readonly FileComplaint[] {
  if (checkTest === undefined) return [];
  const hashes = new Map(linked.filter(({ kind }) => kind === 'scenario').map(({ path, hash }) => [path, hash]));
  return complainOfTests(loaded, {
    hashOfScenario: (path) => hashes.get(path),
    check: (test, scenarioHash) => checkTest((kind, hash) => contents.get(keyOf({ kind, hash })), scenarioHash, test),
  });
}

function contentsOf(
  linked: readonly LinkedDocument[],
  stored: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, JsonObject> {
  return new Map([...stored, ...linked.map((document) => [keyOf(document), document.content] as const)]);
}

/**
 * The problems that keep scenarios from running. Missing and unsound documents have been reported: the rest of a
 * scenario is checked.
 */
function checkScenarios(
  parts: DocumentParts,
  linked: readonly LinkedDocument[],
  contents: ReadonlyMap<string, JsonObject>,
): readonly FileComplaint[] {
  const paths = new Map(linked.toReversed().map((document) => [keyOf(document), document.path]));
  const find: FindComponent = (kind, hash) => contents.get(keyOf({ kind, hash }));
  const checked = linked
    .filter(({ kind }) => kind === 'scenario')
    .map((scenario) => ({ scenario, found: parts.checkScenario(find, scenario.hash) }));
  // Scenarios may share a policy: one of them has the tool that another lacks.
  const isShared = ({ code, document, pointer }: DocumentProblem): boolean =>
    code === 'ALLOWED_NAMES_NOTHING' &&
    checked.some(
      ({ scenario, found }) =>
        listRead(linked, scenario).has(paths.get(keyOf(document)) ?? '') &&
        !found.some((one) => one.code === code && one.pointer === pointer && one.document.hash === document.hash),
    );
  return checked.flatMap(({ scenario, found }) =>
    found
      .filter((problem) => problem.code !== 'COMPONENT_MISSING' && !isShared(problem))
      .map((problem) => {
        const path = paths.get(keyOf(problem.document));
        return path === undefined ? inStored(problem, scenario.path) : { path, problem };
      }),
  );
}

function isOfPlugin({ code }: Pick<Problem, 'code'>): boolean {
  return code === 'PLUGIN_UNKNOWN';
}

/** A source that no call reaches needs no plugin: the tools that ask it are denied by every policy here. */
function toDenied(problem: Problem): Problem {
  const message = `${problem.message}, and no policy here allows the tools that need it`;
  return { ...problem, message, severity: 'note' };
}

/** The paths of the scenarios, or of one of them, and of all that they refer to. */
function listRead(linked: readonly LinkedDocument[], only?: LinkedDocument): ReadonlySet<string> {
  const read = new Set<string>();
  const scenarios = linked.toReversed().filter((document) => {
    const isFirst = only === undefined ? document.kind === 'scenario' : document === only;
    const isRead = isFirst || read.has(keyOf(document));
    for (const reference of isRead ? document.refers_to : []) read.add(keyOf(reference));
    return isRead;
  });
  return new Set(scenarios.map(({ path }) => path));
}

/** Workflows that no scenario uses: without agents, their templates are not typed. */
function listUnread(linked: readonly LinkedDocument[]): readonly FileComplaint[] {
  const read = listRead(linked);
  const unread = linked.filter(({ kind, path }) => kind === 'cognition_workflow' && !read.has(path));
  return unread.map(({ path }) => ({
    path,
    problem: problem('WORKFLOW_UNREAD'),
  }));
}

/** No file has the place: the file of the scenario is the nearest. */
function inStored(problem: DocumentProblem, path: string): FileComplaint {
  const { kind, hash } = problem.document;
  return {
    path,
    problem: {
      ...problem,
      pointer: '',
      message: `${problem.message} (in ${kind} ${hash} at ${problem.pointer || '/'})`,
    },
  };
}

function withoutUnused(linked: readonly LinkedDocument[]): readonly LinkedDocument[] {
  const used = new Set(linked.flatMap(({ refers_to }) => refers_to.map(keyOf)));
  return linked.filter((document) => !document.path.startsWith(SHIPPED_PREFIX) || used.has(keyOf(document)));
}
