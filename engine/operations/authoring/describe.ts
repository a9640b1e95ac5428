import type { Json, JsonObject } from '../../contract/json.js';
import { pick } from '../../contract/pick.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { isProblemCode, PROBLEMS } from '../../contract/problems/index.js';
import { DOCUMENT_PROBLEMS } from '../../contract/problems/documents.js';
import { REFERENCE_PROBLEMS } from '../../contract/problems/references.js';
import { SCENARIO_PROBLEMS } from '../../contract/problems/scenarios.js';
import { SCHEMA_PROBLEMS } from '../../contract/problems/schemas.js';
import { WORKFLOW_PROBLEMS } from '../../contract/problems/workflows.js';
import { nearestName } from '../../core/content/nearest-name.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../core/protocol/component.js';
import { documentKindOf, isPromptFile, SCHEMA_OF_KIND } from '../../core/workflow/link/document-kind.js';
import type { SentDocument } from '../documents/index.js';
import type { Authoring } from '../engine.js';
import { readTemplate, type WorldShape } from './new-world.js';

/** What an author of one kind of document needs to know. */
export interface DescribedKind {
  readonly kind: ComponentKind;
  /** Its JSON Schema; null for schemas themselves, which are JSON Schema 2020-12. */
  readonly schema: JsonObject | null;
  readonly example: SentDocument;
  /** The most frequent mistakes: the message of each, and its repair. */
  readonly common_mistakes: readonly {
    readonly code: string;
    readonly message: string;
    readonly repair: string;
  }[];
}

/** The shape whose documents are of every kind. */
const SHAPE_OF_EXAMPLES: WorldShape = 'place';

const EXAMPLE_OF: Partial<Readonly<Record<ComponentKind, string>>> = {
  json_schema: 'tide-result.json',
  response_source: 'tide.json',
};

const MISTAKES: Readonly<Record<ComponentKind, object>> = {
  json_schema: SCHEMA_PROBLEMS,
  prompt_text: pick(PROBLEMS, ['PROMPT_PLACEHOLDER_UNKNOWN', 'PROMPT_PLACEHOLDER_UNCLOSED', 'BLANK_TEXT']),
  response_source: REFERENCE_PROBLEMS,
  cognition_workflow: WORKFLOW_PROBLEMS,
  cognition_profile: REFERENCE_PROBLEMS,
  tool_policy: DOCUMENT_PROBLEMS,
  scenario: SCENARIO_PROBLEMS,
};

/** How many mistakes a description tells. */
const MISTAKES_TOLD = 12;

/** Describes a kind of document: its schema, an example and common mistakes. */
export async function describeKind(authoring: Authoring, kind: ComponentKind): Promise<DescribedKind> {
  const files = await readTemplate(authoring.package_root, SHAPE_OF_EXAMPLES, { schemas: '' });
  const schema = kind === 'json_schema' ? null : (authoring.shippedSchemas.get(SCHEMA_OF_KIND[kind]) ?? null);
  const documents = files.flatMap(toSent);
  const isExample = ({ path, content }: SentDocument): boolean =>
    EXAMPLE_OF[kind] === undefined ? kindOf(path, content) === kind : path === EXAMPLE_OF[kind];
  const example = documents.find(isExample);
  if (example === undefined) throw new Error(`no template holds a ${kind}`);
  const codes = Object.keys(MISTAKES[kind]).filter(isProblemCode).slice(0, MISTAKES_TOLD);
  return {
    kind,
    schema,
    example,
    common_mistakes: codes.map((code) => ({ code, ...PROBLEMS[code].example() })),
  };
}

function kindOf(path: string, content: Json): ComponentKind | undefined {
  if (typeof content === 'string') return 'prompt_text';
  const kind = documentKindOf(path, content);
  return COMPONENT_KINDS.find((component) => component === kind);
}

/** A file of a template as a document; programs beside them are none. */
export function toSent({ path, text }: { readonly path: string; readonly text: string }): readonly SentDocument[] {
  if (path.endsWith('.json')) return [{ path, content: JSON.parse(text) as Json }];
  return isPromptFile(path) ? [{ path, content: text }] : [];
}

/** A plugin as an author chooses it. */
export interface ListedPlugin {
  readonly name: string;
  readonly description: string;
  readonly speaks: 'json' | 'chat';
  readonly version: string;
}

/** What an author of a source needs to know of its plugin. */
export interface DescribedPlugin extends ListedPlugin {
  /** Of a source's `interface`. */
  readonly interface_schema: JsonObject;
  /** Why its code may not run yet; null where it may. */
  readonly unconfirmed: string | null;
}

/** Describes a plugin by its name. @returns a refusal where none has it */
export function describePlugin({ catalogue }: Pick<Authoring, 'catalogue'>, name: string): Outcome<DescribedPlugin> {
  const plugin = catalogue.plugins.find((each) => each.name === name);
  if (plugin === undefined) {
    const known = catalogue.plugins.map((each) => each.name);
    return refuse(problem('PLUGIN_UNKNOWN', { kind: 'unknown', name, nearest: nearestName(name, known), known }));
  }
  const { description, speaks, version, interface_schema, unconfirmed } = plugin;
  return succeed({ name, description, speaks, version, interface_schema, unconfirmed: unconfirmed?.message ?? null });
}
