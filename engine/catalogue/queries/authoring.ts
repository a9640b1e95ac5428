import type { Json } from '../../contract/json.js';
import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { isObject } from '../../core/content/json-pointer.js';
import { parseJson } from '../../core/content/parse-json.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../core/protocol/component.js';
import { checkSent, putSent, type Stored } from '../../operations/authoring/author.js';
import { describeKind, describePlugin as describe, toSent } from '../../operations/authoring/describe.js';
import type { SentDocument } from '../../operations/documents/index.js';
import type { Engine } from '../../operations/engine.js';
import { readTemplate, WORLD_SHAPES } from '../../operations/authoring/new-world.js';
import { listPlugins as list } from '../../operations/plugins/index.js';
import { createWorld as create, findSlugProblem } from '../../operations/worlds/worlds.js';
import { choice, type Field, line, optional } from '../action.js';
import { query } from '../query.js';

/** How many documents one request may hold. */
const DOCUMENTS_MAX = 200;

const CONTENT = { description: 'JSON of a document, or the text of a prompt.' };

const documents: Field<readonly SentDocument[]> = {
  label: 'The documents',
  control: 'json',
  wanted: `a list of at most ${DOCUMENTS_MAX} documents, each {"path", "content"} with a path of its own`,
  schema: {
    type: 'array',
    description: 'Documents refer to each other by relative path, and to stored ones by {"hash"}.',
    items: {
      type: 'object',
      required: ['path', 'content'],
      properties: { path: { type: 'string', description: 'Such as cast/bob.json, or act.md.' }, content: CONTENT },
      additionalProperties: false,
    },
  },
  read: (said) => (Array.isArray(said) ? toDocuments(said as readonly Json[]) : undefined),
};

function toDocuments(said: readonly Json[]): readonly SentDocument[] | undefined {
  const sent = said.flatMap((each) => {
    if (!isObject(each)) return [];
    const { path, content } = each;
    return typeof path === 'string' && content !== undefined ? [{ path, content }] : [];
  });
  const paths = new Set(sent.map(({ path }) => path));
  const isWhole = sent.length === said.length && sent.length > 0 && sent.length <= DOCUMENTS_MAX;
  return isWhole && paths.size === sent.length ? sent : undefined;
}

const content: Field<Json> = {
  label: 'The document',
  control: 'json',
  wanted: 'the content of a document',
  schema: { ...CONTENT, description: `${CONTENT.description} It refers to stored documents by {"hash"}.` },
  read: (said) => said,
};

const kind = choice('Its kind', COMPONENT_KINDS);

export const validateDocuments = query({
  name: 'validate_documents',
  says: 'Checks documents with all that they refer to, and says every finding with its place and repair. Stores nothing.',
  gives: 'Checked',
  takes: { documents },
  async answer(engine, { documents: sent }) {
    const checked = await checkSent(engine, sent);
    if (!checked.ok) return checked;
    const { ok, findings } = checked.value;
    return succeed({ ok, findings });
  },
});

export const validateDocument = query({
  name: 'validate_document',
  says: 'Checks one document that refers to stored ones alone. Stores nothing.',
  gives: 'Checked',
  takes: { content },
  answer: (engine, { content: said }) => validateDocuments.answer(engine, { documents: [toOne(said)] }),
});

export const putDocuments = query({
  name: 'put_documents',
  says: 'Checks documents and stores them, all or none; gives the hash of each.',
  stores: true,
  gives: 'Stored',
  takes: { documents },
  answer: (engine, { documents: sent }) => putSent(engine, sent),
});

const putOf = (of: ComponentKind, noun: string) =>
  query({
    name: `put_${of}`,
    says: `Stores one ${noun}; gives its hash.`,
    stores: true,
    gives: 'Stored',
    takes: { content },
    answer: (engine, { content: said }) => putOne(engine, of, said),
  });

export const putJsonSchema = putOf('json_schema', 'JSON Schema');
export const putResponseSource = putOf('response_source', 'response source');
export const putCognitionWorkflow = putOf('cognition_workflow', 'cognition workflow');
export const putCognitionProfile = putOf('cognition_profile', 'cognition profile');
export const putToolPolicy = putOf('tool_policy', 'tool policy');

export const assembleScenario = query({
  name: 'assemble_scenario',
  says: 'Checks that a scenario can run, and stores it; makes no world.',
  stores: true,
  gives: 'Stored',
  takes: { content },
  answer: (engine, { content: said }) => putOne(engine, 'scenario', said),
});

/** A text is JSON here, as each of these documents is; only a list of documents says by paths which texts are prompts. */
function putOne(engine: Engine, kind: ComponentKind, said: Json): Promise<Outcome<Stored>> {
  return putSent(engine, [{ path: 'document.json', content: said }], kind);
}

/** A text that is no JSON is that of a prompt. */
function toOne(said: Json): SentDocument {
  const is_prompt = typeof said === 'string' && !parseJson(said).ok;
  return { path: is_prompt ? 'document.md' : 'document.json', content: said };
}

export const describeDocument = query({
  name: 'describe_document',
  says: 'Describes a kind of document: its schema, an example and common mistakes.',
  gives: 'DescribedKind',
  takes: { kind },
  answer: async ({ authoring }, { kind: of }) => succeed(await describeKind(authoring, of)),
});

export const listPlugins = query({
  name: 'list_plugins',
  says: 'The plugins by which sources reach models and services.',
  gives: 'Plugins',
  takes: {},
  answer: async ({ authoring }) =>
    succeed({ plugins: list(authoring).plugins.map(({ folder: _folder, ...plugin }) => plugin) }),
});

export const describePlugin = query({
  name: 'describe_plugin',
  says: 'Describes a plugin: what it does, and the schema of a source’s interface for it.',
  gives: 'DescribedPlugin',
  takes: { name: line('Its name', 'the name of a plugin, as list_plugins has it') },
  answer: async ({ authoring }, { name }) => describe(authoring, name),
});

export const newWorld = query({
  name: 'new_world',
  says: 'Gives the documents of a small complete world, to change and to put. Stores nothing.',
  gives: 'NewDocuments',
  takes: { shape: choice('Its shape', WORLD_SHAPES), name: optional(line('The label of its scenario', 'a label')) },
  async answer({ authoring }, { shape, name }) {
    const unusable = name === undefined ? undefined : findSlugProblem(name);
    if (unusable !== undefined) return refuse(unusable);
    const files = await readTemplate(authoring.package_root, shape, { schemas: 'chukwa:', ...present({ name }) });
    return succeed({ documents: files.flatMap(toSent) });
  },
});

export const createWorld = query({
  name: 'create_world',
  says: 'Makes a world of a stored scenario. It runs no turn until one is queued or run.',
  stores: true,
  gives: 'CreatedWorld',
  takes: {
    world_slug: line('Its name', 'a name of lower-case letters, digits, - and _'),
    scenario_hash: line('The scenario', 'the hash of a stored scenario'),
  },
  answer: (engine, { world_slug, scenario_hash }) => create(engine, { world_slug, scenario_hash }),
});
