import type { Json, JsonObject } from '../contract/json.js';
import { isObject } from '../core/content/json-pointer.js';
import { followReference, mapChildren } from '../core/content/subschemas.js';

const HINTS = ['description', 'examples'] as const;

/** Copies each target's hints beside its reference: a missing member is reported before the reference is followed. */
export function withHints(root: JsonObject): JsonObject {
  return hintObject(root, root);
}

function hintObject(root: JsonObject, schema: JsonObject): JsonObject {
  const inner = mapChildren(schema, (child) => (isObject(child) ? hintObject(root, child) : child));
  const { $ref } = schema;
  const target = typeof $ref === 'string' ? followReference(root, $ref) : undefined;
  if (!isObject(target) || target === root) return inner;
  const hints = HINTS.flatMap((name): [string, Json][] => {
    const hint = target[name];
    return hint === undefined || Object.hasOwn(inner, name) ? [] : [[name, hint]];
  });
  return { ...inner, ...Object.fromEntries(hints) };
}

/** A value that fits a schema: the first of its examples, or of what it lists. */
export function exampleOf(schema: JsonObject): Json | undefined {
  const { examples, const: only, enum: listed } = schema as Readonly<Record<string, Json | undefined>>;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as Json;
  if (only !== undefined) return only;
  return Array.isArray(listed) ? (listed[0] as Json) : undefined;
}

/** JSON on one line, as people write it. */
export function writeJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${writeJson(member)}`)
    .join(', ')}}`;
}

/** A text of each format that people get wrong. */
export const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2025-11-02T17:00:00Z',
  date: '2025-11-02',
  time: '17:00:00Z',
  duration: 'PT10M',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
};
