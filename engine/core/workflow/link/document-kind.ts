import type { Json, JsonObject } from '../../../contract/json.js';
import { isObject } from '../../content/json-pointer.js';
import type { ComponentKind } from '../../protocol/component.js';
import { COMPONENT_KINDS } from '../../protocol/component.js';

/** The kind of a file: a component, or one of the documents that are read and never stored. */
export type DocumentKind =
  | ComponentKind
  | 'answers'
  | 'prices'
  | 'probe'
  | 'study'
  | 'connection'
  | 'plugin_manifest'
  | 'plugin_conformance'
  | 'workflow_test';

/** The schema that describes a kind. JSON Schemas have the metaschema. */
export const SCHEMA_OF_KIND: Readonly<Record<Exclude<DocumentKind, 'json_schema'>, string>> = {
  prompt_text: 'prompt-text.schema.json',
  response_source: 'response-source.schema.json',
  cognition_workflow: 'workflow.schema.json',
  cognition_profile: 'cognition-profile.schema.json',
  tool_policy: 'tool-policy.schema.json',
  scenario: 'scenario.schema.json',
  answers: 'answers.schema.json',
  prices: 'prices.schema.json',
  probe: 'probe.schema.json',
  study: 'study.schema.json',
  connection: 'connection.schema.json',
  plugin_manifest: 'plugin-manifest.schema.json',
  plugin_conformance: 'plugin-conformance.schema.json',
  workflow_test: 'workflow-test.schema.json',
};

/** Members that only one kind has. The kind with most of them is meant, the earlier one where two have as many. */
const SHAPES: readonly (readonly [DocumentKind, readonly string[]])[] = [
  ['scenario', ['environments', 'entities', 'cognition', 'start_time', 'chronon_seconds']],
  ['cognition_workflow', ['nodes', 'apply', 'execution', 'ambient_sources']],
  ['plugin_manifest', ['contract_version', 'interface_schema', 'entry', 'speaks']],
  ['cognition_profile', ['workflow_ref', 'tool_policy_ref']],
  ['tool_policy', ['allow', 'require_approval']],
  ['response_source', ['interface', 'request_schema_ref']],
  ['answers', ['turns']],
  ['prices', ['models']],
  ['probe', ['questions', 'subjects']],
  ['study', ['question', 'seeds', 'variables', 'measures', 'hypotheses']],
  ['connection', ['origin', 'secret', 'kind']],
  ['plugin_conformance', ['examples']],
  ['workflow_test', ['scenario_ref', 'answers_ref', 'expect', 'given']],
];

/**
 * The kind of a JSON document: by the end of its name, by its `$schema`, or by its members.
 * @returns undefined where none of these names it
 */
export function documentKindOf(path: string, value: Json): DocumentKind | undefined {
  if (path.endsWith('.test.json')) return 'workflow_test';
  if (!isObject(value)) return undefined;
  const named = kindBySchema(value['$schema']);
  return named === undefined || isMistaken(named, value) ? kindByShape(value) : named;
}

/** The kind that a document's `$schema` names by mistake: the document has members of another kind, and none of that one. */
export function findMistakenSchema(value: Json): DocumentKind | undefined {
  if (!isObject(value)) return undefined;
  const named = kindBySchema(value['$schema']);
  return named !== undefined && isMistaken(named, value) ? named : undefined;
}

function isMistaken(named: DocumentKind, value: JsonObject): boolean {
  const shape = SHAPES.find(([kind]) => kind === named)?.[1];
  return shape !== undefined && countOf(shape, value) === 0 && kindByShape(value) !== undefined;
}

/** Whether JSON of no known kind was meant as a document: it has the marks that all documents share. */
export function isMarked(value: Json): boolean {
  if (!isObject(value)) return false;
  const { $schema, label, version } = value as Readonly<Record<string, Json | undefined>>;
  if (label !== undefined || typeof version === 'number') return true;
  return typeof $schema === 'string' && $schema.endsWith('.schema.json');
}

/** Whether a file is a prompt by itself, by the end of its name: every other file is read as JSON. */
export function isPromptFile(path: string): boolean {
  return /\.(md|txt)$/.test(path);
}

/** Whether documents of a kind are stored. */
export function isComponentKind(kind: DocumentKind | undefined): kind is ComponentKind {
  return COMPONENT_KINDS.some((component) => component === kind);
}

function kindBySchema(schema: Json | undefined): DocumentKind | undefined {
  if (typeof schema !== 'string') return undefined;
  if (/^https?:\/\/json-schema\.org\//.test(schema)) return 'json_schema';
  const name = schema.split('/').at(-1);
  const kinds = Object.entries(SCHEMA_OF_KIND) as readonly (readonly [DocumentKind, string])[];
  return kinds.find(([, file]) => file === name)?.[0];
}

function kindByShape(value: JsonObject): DocumentKind | undefined {
  const scores = SHAPES.map(([kind, members]) => ({
    kind,
    score: countOf(members, value),
  }));
  const best = Math.max(...scores.map(({ score }) => score));
  return best === 0 ? undefined : scores.find(({ score }) => score === best)?.kind;
}

function countOf(members: readonly string[], value: JsonObject): number {
  return members.filter((member) => Object.hasOwn(value, member)).length;
}
