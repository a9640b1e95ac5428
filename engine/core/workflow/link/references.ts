import type { Json, JsonObject } from '../../../contract/json.js';
import { appendToken, isList, isObject, toPointer } from '../../content/json-pointer.js';
import { listNamed } from '../../content/list-named.js';
import type { DocumentKind } from './document-kind.js';
import { isComponentKind, isPromptFile } from './document-kind.js';

/** A field of a document that names another: a `*_ref`, or the content of a prompt's message. */
export interface Reference {
  /** Of the field. */
  readonly pointer: string;
  /** Of the path in it, where it has one. */
  readonly path_pointer: string;
  /** The kind of what it leads to; undefined where that depends on other files. */
  readonly wants: DocumentKind | undefined;
  readonly target: { readonly path: string } | { readonly hash: string };
}

/** The hash of no document: where a reference leads that cannot be followed. */
export const NOWHERE = '0'.repeat(64);

/** Members that hold an author's or a plugin's own JSON, in which nothing is a reference. */
export const OPEN_MEMBERS = ['request_template', 'interface', 'schema'];

/** In a test, all else is what sources answer and what is expected of them. */
const REFERENCES_OF_TESTS = ['scenario_ref', 'answers_ref'];

const WANTED: Readonly<Record<string, DocumentKind>> = {
  source_ref: 'response_source',
  llm_source_ref: 'response_source',
  workflow_ref: 'cognition_workflow',
  tool_policy_ref: 'tool_policy',
  profile_ref: 'cognition_profile',
  scenario_ref: 'scenario',
  answers_ref: 'answers',
  content: 'prompt_text',
};

/** The kind that a field refers to. @returns undefined where the field is no reference */
export function wantedKind(field: string): DocumentKind | undefined {
  if (Object.hasOwn(WANTED, field)) return WANTED[field];
  return field.endsWith('_schema_ref') ? 'json_schema' : undefined;
}

/** Every well-formed reference of a document, in document order. A JSON Schema has none. */
export function listReferences(kind: DocumentKind | undefined, document: Json): readonly Reference[] {
  if (kind === 'workflow_test') return listWithin(pick(document, REFERENCES_OF_TESTS), '');
  if (kind === 'study') return listFilesOfStudy(document);
  return isComponentKind(kind) && kind !== 'json_schema' ? listWithin(document, '') : [];
}

/** A file that is no prompt file by its name would be read as JSON. The schema of workflows refuses the path already. */
export function isMisnamedPrompt({ wants, target }: Reference): boolean {
  return wants === 'prompt_text' && 'path' in target && !isPromptFile(target.path);
}

/** A document with each `{"path"}` replaced by the hash that `hashAt` gives for its pointer, where it gives one. */
export function replaceReferences(document: JsonObject, hashAt: (pointer: string) => string | undefined): JsonObject {
  return replaceIn(document, '', hashAt) as JsonObject;
}

function pick(document: Json, members: readonly string[]): Json {
  if (!isObject(document)) return {};
  return Object.fromEntries(Object.entries(document).filter(([member]) => members.includes(member)));
}

function listWithin(value: Json, pointer: string): readonly Reference[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]: [string, Json]) => {
    const place = appendToken(pointer, member);
    if (isList(value)) return listWithin(inner, place);
    if (OPEN_MEMBERS.includes(member)) return [];
    const wants = wantedKind(member);
    const target = wants === undefined ? undefined : toTarget(inner);
    return wants && target
      ? [{ pointer: place, path_pointer: appendToken(place, 'path'), wants, target }]
      : listWithin(inner, place);
  });
}

/** Where a study names a file, and the kind of the file. A file in place of another is of that one's kind. */
const FILES_OF_STUDIES: readonly (readonly [place: string, wants: DocumentKind | undefined])[] = [
  ['scenario', 'scenario'],
  ['variables/*/levels/*/replace/*', undefined],
  ['audit/*/*/replace/*', undefined],
  ['probes/*/ask', 'probe'],
];

function listFilesOfStudy(study: Json): readonly Reference[] {
  return FILES_OF_STUDIES.flatMap(([pattern, wants]) =>
    listNamed(study, pattern.split('/')).map(({ name, place }) => {
      const pointer = toPointer(place);
      return { pointer, path_pointer: pointer, wants, target: { path: name } };
    }),
  );
}

/** Where a reference leads. @returns undefined where it is none */
function toTarget(value: Json): Reference['target'] | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const { path, hash } = value;
  if (typeof path === 'string') return { path };
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? { hash } : undefined;
}

function replaceIn(value: Json, pointer: string, hashAt: (pointer: string) => string | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  const hash = hashAt(pointer);
  if (hash !== undefined) return { hash };
  if (isList(value)) return value.map((item, index) => replaceIn(item, appendToken(pointer, index), hashAt));
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, replaceIn(inner, appendToken(pointer, member), hashAt)]),
  );
}
