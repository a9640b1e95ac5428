import type { Json, JsonObject } from '../../contract/json.js';
import { type Problem, problem } from '../../contract/problem.js';
import { contentHash } from '../content/canonical.js';
import type { ComponentKind, ComponentReference } from '../protocol/component.js';
import { type DocumentKind, isComponentKind } from './link/document-kind.js';
import { findMeant } from './link/find-meant.js';
import { bottomUp, findChain, type Graph } from './link/order.js';
import { isMisnamedPrompt, listReferences, NOWHERE, type Reference, replaceReferences } from './link/references.js';
import type { ResolvePath } from './link/resolve-path.js';

/** A file that was read. */
export interface DocumentToLink {
  readonly path: string;
  /** Undefined where nothing in the file names its kind. */
  readonly kind: DocumentKind | undefined;
  /** Undefined where the file could not be parsed. */
  readonly value: Json | undefined;
  /** Valid for its kind. An unsound document is never linked, and neither is one that refers to it. */
  readonly is_sound: boolean;
}

/** A document whose references are all hashes. */
export interface LinkedDocument {
  readonly path: string;
  readonly kind: ComponentKind;
  /** SHA-256 of the canonical form, 64 hex digits. */
  readonly hash: string;
  readonly content: JsonObject;
  readonly refers_to: readonly ComponentReference[];
}

interface FileProblem {
  readonly path: string;
  readonly problem: Problem;
}

interface Linking {
  /** In an order in which each comes after all that it refers to. */
  readonly linked: readonly LinkedDocument[];
  readonly problems: readonly FileProblem[];
}

/** A reference with the file that it means, where its path means one. */
interface Edge {
  readonly from: string;
  readonly reference: Reference;
  readonly to: string | undefined;
  readonly problem: Problem | undefined;
}

/**
 * Turns every path that refers to a file into the hash of what the file holds, from the bottom up.
 * Missing files, wrong kinds, paths out of the root and cycles are problems at the field that refers.
 * @param others files that are there and were not read: one of them may have been meant
 */
export function linkDocuments(
  files: readonly DocumentToLink[],
  resolvePath: ResolvePath,
  others: readonly string[] = [],
): Linking {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const known = { byPath, resolvePath, others };
  const { edges, graph } = toGraph(files, known);
  const ordered = bottomUp(graph);
  const isOrdered = new Set(ordered);
  const linked = linkAll(ordered, byPath, edges);
  const problems = [...edges.values()].flat().flatMap((edge) => {
    const isClosed = edge.to !== undefined && !isOrdered.has(edge.from) && !isOrdered.has(edge.to);
    const found =
      (isClosed ? findCycle(edge, graph, byPath) : undefined) ?? edge.problem ?? findWrongKind(edge, byPath);
    return found ? [{ path: edge.from, problem: found }] : [];
  });
  return { linked, problems };
}

/**
 * Links what there is, though parts of it are not sound or missing: only to look for further faults in it. A reference
 * that cannot be followed becomes one to nowhere.
 */
export function linkDrafts(files: readonly DocumentToLink[], resolvePath: ResolvePath): readonly LinkedDocument[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const { edges, graph } = toGraph(files, { byPath, resolvePath, others: [] });
  return linkAll(bottomUp(graph), byPath, edges, NOWHERE);
}

/** @param nowhere the hash in place of one that there is not; without it, who refers to nothing is left out */
function linkAll(
  ordered: readonly string[],
  byPath: ReadonlyMap<string, DocumentToLink>,
  edges: ReadonlyMap<string, readonly Edge[]>,
  nowhere?: string,
): readonly LinkedDocument[] {
  const linked = new Map<string, LinkedDocument>();
  for (const path of ordered) {
    const hashed = (edges.get(path) ?? []).map((edge) => ({ ...edge, hash: findHash(edge, linked) ?? nowhere }));
    const document = linkOne(byPath.get(path), hashed);
    if (document) linked.set(path, document);
  }
  return [...linked.values()];
}

function findHash({ reference, to }: Edge, linked: ReadonlyMap<string, LinkedDocument>): string | undefined {
  if ('hash' in reference.target) return reference.target.hash;
  const target = to === undefined ? undefined : linked.get(to);
  return target !== undefined && target.kind === reference.wants ? target.hash : undefined;
}

/** The documents that a reference can lead to. */
interface Known {
  readonly byPath: ReadonlyMap<string, DocumentToLink>;
  readonly resolvePath: ResolvePath;
  readonly others: readonly string[];
}

/** The references of all files, and which file refers to which. */
function toGraph(files: readonly DocumentToLink[], known: Known) {
  const edges = new Map(files.map((file) => [file.path, listEdges(file, known)]));
  const graph: Graph = new Map([...edges].map(([path, list]) => [path, list.flatMap((edge) => edge.to ?? [])]));
  return { edges, graph };
}

function listEdges(file: DocumentToLink, known: Known): readonly Edge[] {
  if (file.value === undefined) return [];
  return listReferences(file.kind, file.value).map((reference) => toEdge(file.path, reference, known));
}

function toEdge(from: string, reference: Reference, known: Known): Edge {
  if ('hash' in reference.target) return { from, reference, to: undefined, problem: undefined };
  if (isMisnamedPrompt(reference)) return { from, reference, to: undefined, problem: undefined };
  const place = { pointer: reference.path_pointer };
  const { path } = reference.target;
  const resolved = known.resolvePath(from, path);
  if (!resolved.ok) {
    const [refused = problem('PATH_MALFORMED', { path })] = resolved.problems;
    return { from, reference, to: undefined, problem: { ...refused, ...place } };
  }
  if (known.byPath.has(resolved.value)) return { from, reference, to: resolved.value, problem: undefined };
  const nearest = findMeant(from, resolved.value, [...known.byPath.keys(), ...known.others]);
  return { from, reference, to: undefined, problem: problem('FILE_MISSING', { referred: path, nearest }, place) };
}

function findCycle(edge: Edge, graph: Graph, byPath: ReadonlyMap<string, DocumentToLink>): Problem | undefined {
  const back = edge.to === undefined ? undefined : findChain(graph, edge.to, edge.from);
  if (!back) return undefined;
  const chain = [edge.from, ...back].map((path) => path.slice(path.lastIndexOf('/') + 1));
  const facts = { files: chain, otherwise: kindsOf(edge, byPath) };
  return problem('REFERENCE_CYCLE', facts, { pointer: edge.reference.pointer });
}

function findWrongKind(edge: Edge, byPath: ReadonlyMap<string, DocumentToLink>): Problem | undefined {
  const kinds = kindsOf(edge, byPath);
  return kinds && problem('WRONG_KIND', kinds, { pointer: edge.reference.pointer });
}

/** The kind of document that a reference wants and the one that it leads to, where they differ. */
function kindsOf({ to, reference }: Edge, byPath: ReadonlyMap<string, DocumentToLink>) {
  const found = to === undefined ? undefined : byPath.get(to)?.kind;
  const { wants: wanted } = reference;
  return found === undefined || wanted === undefined || found === wanted ? undefined : { wanted, found };
}

function linkOne(
  file: DocumentToLink | undefined,
  edges: readonly (Edge & { readonly hash: string | undefined })[],
): LinkedDocument | undefined {
  if (!file?.is_sound || !isComponentKind(file.kind)) return undefined;
  const hashes = new Map<string, string>();
  for (const { reference, hash } of edges) {
    if (hash === undefined) return undefined;
    hashes.set(reference.pointer, hash);
  }
  const content = toContent(file.kind, file.value as JsonObject, (pointer) => hashes.get(pointer));
  const refersTo = edges.flatMap(({ reference: { wants, pointer } }) =>
    isComponentKind(wants) ? [{ kind: wants, hash: hashes.get(pointer) ?? '' }] : [],
  );
  return { path: file.path, kind: file.kind, hash: contentHash(content), content, refers_to: distinct(refersTo) };
}

/** A JSON Schema's `$schema` is its dialect; any other document's is for the editor. */
function toContent(
  kind: ComponentKind,
  document: JsonObject,
  hashAt: (pointer: string) => string | undefined,
): JsonObject {
  if (kind === 'json_schema') return document;
  const { $schema: _, ...rest } = document;
  return replaceReferences(rest, hashAt);
}

function distinct(references: readonly ComponentReference[]): readonly ComponentReference[] {
  return [...new Map(references.map((reference) => [`${reference.kind}/${reference.hash}`, reference])).values()];
}
