/**
 * Makes the schemas of the pages' JSON from their TypeScript types, for `engine/generated/answer-schemas.ts`: the
 * OpenAPI document is made of them.
 */
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import type { GeneratedFile } from './generated-files.js';

type Schema = { readonly [member: string]: unknown };

/** The file as the types now ask for it. */
export function generateAnswers(root: string): GeneratedFile {
  const { definitions = {} } = createGenerator({
    path: join(root, 'engine/catalogue/answers.ts'),
    tsconfig: join(root, 'tsconfig.json'),
    type: 'Answers',
    skipTypeCheck: true,
    sortProps: false,
  }).createSchema('Answers');
  const { Answers: answers, Json: { description } = {}, ...others } = definitions as Readonly<Record<string, Schema>>;
  // Any value is JSON already. Generators of clients make a type that refers to itself of more than that.
  const shared = { ...others, Json: { description } };
  const kinds = (answers?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const schemas = Object.fromEntries(
    // A type with the name of its kind represents it.
    [...Object.entries(kinds), ...Object.entries(shared)].map(([name, schema]) => [toName(name), toShared(schema)]),
  );
  const text = [
    '// Made by tools/generate-answers.ts from engine/catalogue/answers.ts: do not edit, run `npm run generate`.',
    "import type { JsonObject } from '../contract/json.js';",
    '',
    '/** Schemas of what pages answer, and of what that is made of, by name. */',
    `export const ANSWER_SCHEMAS: Readonly<Record<string, JsonObject>> = ${JSON.stringify(schemas, null, 2)};`,
    '',
  ].join('\n');
  return { path: 'engine/generated/answer-schemas.ts', text };
}

const PREFIX = '#/definitions/';

/** A name that an OpenAPI document may have: `Part<ListedWorld>` as `Part_ListedWorld`. */
function toName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '');
}

function toShared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toShared);
  if (typeof value !== 'object' || value === null) return value;
  const { items } = value as Schema;
  // A list of so many places, each with its own schema, as JSON Schema says it since 2020-12.
  if (Array.isArray(items)) return toShared({ ...value, items: false, prefixItems: items });
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) =>
      name === '$ref' && typeof inner === 'string' && inner.startsWith(PREFIX)
        ? [name, `#/components/schemas/${toName(decodeURIComponent(inner.slice(PREFIX.length)))}`]
        : [name, toShared(inner)],
    ),
  );
}
