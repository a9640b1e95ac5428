import { dirname, relative } from 'node:path';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Location, type Outcome, type Problem, problem } from '../../contract/problem.js';
import { parsePrompt, parseSource, type SourceText } from '../../core/content/source-text.js';
import {
  type DocumentKind,
  documentKindOf,
  findMistakenSchema,
  isMarked,
  isPromptFile,
} from '../../core/workflow/link/document-kind.js';
import { isMisnamedPrompt, listReferences } from '../../core/workflow/link/references.js';
import { type ResolvePath, resolveWithin, SHIPPED_PREFIX } from '../../core/workflow/link/resolve-path.js';
import { findFiles, listDocumentFiles, type Place } from './find-files.js';
import { readTextFile, realPathOf, unreadable } from './read-file.js';

const OPEN_MAX = 32;

export interface LoadedFile {
  /** Absolute, or `chukwa:` and the name of a schema that ships. */
  readonly path: string;
  /** As people are shown it: relative where it is below the working folder. */
  readonly name: string;
  readonly kind: DocumentKind | undefined;
  /** Undefined where the file could not be read or parsed. */
  readonly source: SourceText | undefined;
  readonly problems: readonly Problem[];
}

export interface LoadedFiles {
  readonly files: readonly LoadedFile[];
  /** Folders to watch: a new or changed file in them may be read too. */
  readonly folders: readonly string[];
  readonly resolve_path: ResolvePath;
  /** JSON files below the folders that are no documents, by name. */
  readonly left_out: readonly string[];
  /** Documents beside a missing file that a reference names. */
  readonly neighbours: readonly string[];
}

/**
 * Reads files and folders, and every file that they refer to. A file that cannot be read is a problem of its own.
 * @param shipped schemas by file name
 */
export async function loadDocuments(
  paths: readonly string[],
  place: Place,
  shipped: ReadonlyMap<string, JsonObject>,
): Promise<LoadedFiles> {
  const found = await Promise.all(paths.map((path) => findFiles(path, place)));
  const roots = [...new Set(found.map(({ root }) => root))];
  const realRoots = await Promise.all(roots.map(async (root) => (await realPathOf(root)) ?? root));
  const resolvePath = resolveWithin(roots, place.working_folder);
  const nameOf = (path: string): string => displayName(path, place.working_folder);
  const refused = found
    .flatMap(({ problems }) => problems)
    .map(({ path, problem }) => toUnreadable(path, nameOf(path), [{ ...problem, location: ofPath(nameOf(path)) }]));
  const read = async (path: string): Promise<LoadedFile | undefined> => {
    const text = await readTextFile({ path, name: nameOf(path) }, realRoots);
    return text && toLoaded(path, nameOf(path), text);
  };
  const given = found.flatMap(({ files }) => files);
  const isRefused = new Set(refused.map(({ path }) => path));
  const all = (await loadAll(given, read, resolvePath)).filter(({ path }) => !isRefused.has(path));
  const seen = new Set(all.map(({ path }) => path));
  const named = new Set(all.flatMap((file) => targetsOf(file, resolvePath)));
  const walked = new Set(found.filter(({ is_folder }) => is_folder).flatMap(({ files }) => files));
  const isForeign = ({ path, kind, source }: LoadedFile): boolean =>
    kind === undefined && source !== undefined && walked.has(path) && !named.has(path) && !isMarked(source.value);
  // Where nothing else is there, each file is one that was meant.
  const foreign = all.every(isForeign) ? [] : all.filter(isForeign);
  const loaded = all.filter((file) => !foreign.includes(file));
  const vanished = given
    .filter((path) => !seen.has(path))
    .map((path) => toUnreadable(path, nameOf(path), [unreadable('deleted')]));
  const ours = [...shipped].map(([name, schema]) => fromValue(`${SHIPPED_PREFIX}${name}`, 'json_schema', schema));
  const files = [...ours, ...refused, ...vanished, ...loaded];
  const folders = [...found.flatMap((one) => one.folders), ...[...refused, ...loaded].map(({ path }) => dirname(path))];
  return {
    files,
    folders: [...new Set(folders)],
    resolve_path: resolvePath,
    left_out: foreign.map(({ name }) => name),
    neighbours: [...foreign.map(({ path }) => path), ...(await findNeighbours(loaded, resolvePath))],
  };
}

/** The place of a problem with a path, and not with a value in its file. */
function ofPath(file: string): Location {
  return { file, line: 0, column: 0 };
}

async function findNeighbours(loaded: readonly LoadedFile[], resolvePath: ResolvePath): Promise<readonly string[]> {
  const here = new Set(loaded.map(({ path }) => path));
  const missing = loaded.flatMap((file) => targetsOf(file, resolvePath)).filter((path) => !here.has(path));
  const folders = [...new Set(missing.map((path) => dirname(path)))];
  const listed = await Promise.all(folders.map(listDocumentFiles));
  return listed.flat();
}

/** A document without a file, such as a schema that ships. */
export function fromValue(name: string, kind: DocumentKind | undefined, value: Json): LoadedFile {
  return {
    path: name,
    name,
    kind,
    source: { value, locate: () => ({ file: name, line: 1, column: 1 }) },
    problems: [],
  };
}

/** A missing target is skipped: the problem belongs to the reference. */
async function loadAll(
  given: readonly string[],
  read: (path: string) => Promise<LoadedFile | undefined>,
  resolvePath: ResolvePath,
): Promise<readonly LoadedFile[]> {
  const wanted = new Set(given);
  const queue = [...wanted];
  const loaded: LoadedFile[] = [];
  while (queue.length > 0) {
    const batch = await Promise.all(queue.splice(0, OPEN_MAX).map(read));
    for (const file of batch.filter((item) => item !== undefined)) {
      loaded.push(file);
      const targets = targetsOf(file, resolvePath).filter((target) => !wanted.has(target));
      for (const target of targets) wanted.add(target);
      queue.push(...new Set(targets));
    }
  }
  return loaded;
}

function targetsOf(file: LoadedFile, resolvePath: ResolvePath): readonly string[] {
  if (!file.source) return [];
  return listReferences(file.kind, file.source.value).flatMap((reference) => {
    const { target } = reference;
    const resolved = 'path' in target && !isMisnamedPrompt(reference) ? resolvePath(file.path, target.path) : undefined;
    return resolved?.ok && !resolved.value.startsWith(SHIPPED_PREFIX) ? [resolved.value] : [];
  });
}

export function toLoaded(path: string, name: string, text: Outcome<string>): LoadedFile {
  const isPrompt = isPromptFile(path);
  const parse = isPrompt ? parsePrompt : parseSource;
  const parsed = text.ok ? parse(name, text.value) : text;
  if (!parsed.ok) return toUnreadable(path, name, parsed.problems);
  const kind = isPrompt ? 'prompt_text' : documentKindOf(path, parsed.value.value);
  return {
    path,
    name,
    kind,
    source: parsed.value,
    problems: kind === undefined ? [unknownKind(parsed.value.value)] : findMistake(kind, parsed.value),
  };
}

function findMistake(kind: DocumentKind, { value, locate }: SourceText): readonly Problem[] {
  const named = findMistakenSchema(value);
  if (named === undefined || named === kind) return [];
  const location = locate('/$schema');
  return [problem('SCHEMA_OF_ANOTHER_KIND', { named, kind }, { pointer: '/$schema', location })];
}

function toUnreadable(path: string, name: string, problems: readonly Problem[]): LoadedFile {
  return { path, name, kind: undefined, source: undefined, problems };
}

function unknownKind(value: Json): Problem {
  const is_object = typeof value === 'object' && value !== null && !Array.isArray(value);
  return problem('UNKNOWN_DOCUMENT', { is_object });
}

/** A path as people are shown it: relative where it is below the working folder. */
export function displayName(path: string, workingFolder: string): string {
  const name = relative(workingFolder, path);
  return name === '' || name.startsWith('..') ? path : name;
}
