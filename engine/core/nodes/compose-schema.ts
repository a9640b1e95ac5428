import type { Json, JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { contentHash } from '../content/canonical.js';
import { isObject } from '../content/json-pointer.js';
import { mapChildren, mapReferences } from '../content/subschemas.js';
import { toDeliveredSchema } from './delivered-schema.js';
import type { OfferedSchema } from '../protocol/program.js';
import { EFFECT_OPERATIONS, PATCH_OPERATIONS, type PatchReach } from '../world/patch-operations.js';

/** A tool as the composed schema needs it. */
export interface OfferedTool {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Where its model sees it beside the schema, so that the schema's hash names all that was offered. */
  readonly description?: string;
}

/**
 * The one schema that a tool loop's model is given: a root object with `kind`, a branch for each permitted tool, and the
 * final patch. Definitions are renamed `<owner>__<name>`, `$id` and `$schema` are dropped.
 * It accepts exactly what the envelope, the argument schemas and the patch schema accept together.
 */
export function composeToolLoopSchema(tools: readonly OfferedTool[], patch: JsonObject): OfferedSchema {
  const patchPart = embed('patch', patch);
  const toolParts = tools.map((tool) => ({ tool, part: embed(tool.name, tool.arguments) }));
  const schema: JsonObject = {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: [...(tools.length > 0 ? ['tool_call'] : []), 'final_patch'] } },
    oneOf: [finalBranch(patchPart.reference), ...toolParts.map(({ tool, part }) => toolBranch(tool, part.reference))],
    $defs: Object.assign({}, patchPart.definitions, ...toolParts.map(({ part }) => part.definitions)) as JsonObject,
  };
  return offer('tool_loop_output', schema);
}

/** The patch's schema with a sentence for the model on what its effects may touch, where the node's author limits it. */
export function withReach(patch: JsonObject, may: PatchReach): JsonObject {
  const limits = describeReach(may);
  const said = [patch['description'], ...limits].filter((sentence) => typeof sentence === 'string');
  return limits.length === 0 ? patch : { ...patch, description: said.join(' ') };
}

/** The limits of a patch, for a model: a sentence each. */
function describeReach(may: PatchReach): readonly string[] {
  return EFFECT_OPERATIONS.flatMap((op) => {
    const { limit } = PATCH_OPERATIONS[op];
    const reach = may[limit.member] ?? 'any';
    return reach === 'any' ? [] : [`${op} is allowed for ${limit[reach]} only.`];
  });
}

/** A declared answer's schema, as a model is given it. */
export function offerAnswerSchema(schema: JsonObject): OfferedSchema {
  const { $schema: _dialect, $id: _id, ...offered } = schema;
  return offer('answer', offered);
}

function offer(name: string, schema: JsonObject): OfferedSchema {
  const delivered = toDeliveredSchema(schema);
  return { name, schema, hash: contentHash(schema), delivered: { schema: delivered, hash: contentHash(delivered) } };
}

function finalBranch(patch: JsonObject): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['kind', 'patch'],
    properties: { kind: { const: 'final_patch' }, patch },
  };
}

function toolBranch({ name, description }: OfferedTool, args: JsonObject): JsonObject {
  return {
    type: 'object',
    ...present({ description }),
    additionalProperties: false,
    required: ['kind', 'tool_call'],
    properties: {
      kind: { const: 'tool_call' },
      tool_call: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'arguments'],
        properties: { name: { const: name }, arguments: args },
      },
    },
  };
}

/** A whole schema as definitions of another, with its references renamed. */
function embed(
  owner: string,
  schema: JsonObject,
): { readonly reference: JsonObject; readonly definitions: JsonObject } {
  const { $schema: _dialect, $id: _id, $defs, ...root } = schema;
  const inner = isObject($defs) ? Object.entries($defs) : [];
  const rootName = `${owner}.root`;
  const definitions = [
    [rootName, renameReferences(root, owner, rootName)],
    ...inner.map(([name, definition]) => [`${owner}__${name}`, renameReferences(definition, owner, rootName)]),
  ];
  return {
    reference: { $ref: `#/$defs/${encode(rootName)}` },
    definitions: Object.fromEntries(definitions) as JsonObject,
  };
}

/** A schema with its references renamed; names of its own, which would redirect them, are left out. */
function renameReferences(schema: Json, owner: string, rootName: string): Json {
  if (!isObject(schema)) return schema;
  return mapReferences(withoutNames(schema), (reference) => renameReference(reference, owner, rootName));
}

function withoutNames({ $id: _id, $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return mapChildren(schema, (child) => (isObject(child) ? withoutNames(child) : child));
}

function renameReference(reference: string, owner: string, rootName: string): string {
  const definition = /^#\/\$defs\/([^/]+)(.*)$/.exec(reference);
  if (definition) return `#/$defs/${encode(owner)}__${definition[1]}${definition[2] ?? ''}`;
  return reference.startsWith('#') ? `#/$defs/${encode(rootName)}${reference.slice(1)}` : reference;
}

function encode(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
