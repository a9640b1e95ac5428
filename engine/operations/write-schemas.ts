import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, JsonObject } from '../contract/json.js';
import { isList } from '../core/content/json-pointer.js';
import type { PluginDescription } from '../ports/sources.js';
import { type Authoring, type Done, refuse } from './engine.js';

/** Schemas that editors complete documents with. */
export interface WrittenSchemas {
  readonly folder: string;
  /** Relative to the folder. */
  readonly files: readonly string[];
  /** The plugins whose interfaces the schema of sources knows. */
  readonly plugins: readonly string[];
}

const SOURCE_SCHEMA = 'response-source.schema.json';

/**
 * Writes the schema of every document into a folder. That of sources knows the interface of each plugin that was found. Files
 * that an earlier call wrote are replaced.
 * @param folder absolute
 */
export async function writeSchemas(
  { catalogue: { plugins }, shippedSchemas }: Pick<Authoring, 'catalogue' | 'shippedSchemas'>,
  folder: string,
): Promise<Done<WrittenSchemas>> {
  const files = [...shippedSchemas.keys()].sort();
  try {
    await mkdir(folder, { recursive: true });
    for (const [file, schema] of shippedSchemas) {
      const written = file === SOURCE_SCHEMA ? withInterfaces(schema, plugins) : schema;
      await writeFile(join(folder, file), `${JSON.stringify(written, null, 2)}\n`);
    }
  } catch (error) {
    return refuse({
      code: 'FILE_UNWRITABLE',
      message: `${folder} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`,
      repair: 'Name a folder that you may write.',
    });
  }
  return { ok: true, value: { folder, files, plugins: plugins.map(({ name }) => name).sort() } };
}

/**
 * The schema of sources, where each `interface` has to fit the schema of the plugin that it names.
 * @param source the shipped schema, which knows an interface's `name` alone
 */
export function withInterfaces(
  source: JsonObject,
  plugins: readonly Pick<PluginDescription, 'name' | 'interface_schema'>[],
): JsonObject {
  const { properties, $defs } = source as { readonly properties: JsonObject; readonly $defs: JsonObject };
  const wire = properties['interface'] as JsonObject & { readonly properties: JsonObject };
  const name = { ...(wire.properties['name'] as JsonObject), enum: plugins.map((plugin) => plugin.name) };
  const chosen = plugins.map((plugin) => ({
    if: { required: ['name'], properties: { name: { const: plugin.name } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and never a function
    then: { $ref: `#/$defs/interface_of_${plugin.name}` },
  }));
  const definitions = plugins.map((plugin) => {
    const definition = `interface_of_${plugin.name}`;
    const { $id: _id, $schema: _dialect, ...schema } = plugin.interface_schema;
    return [definition, moveReferences(schema, `#/$defs/${definition}`)] as const;
  });
  return {
    ...source,
    properties: { ...properties, interface: { ...wire, properties: { ...wire.properties, name }, allOf: chosen } },
    $defs: { ...$defs, ...Object.fromEntries(definitions) },
  };
}

/** A schema that has become a part of another: its references are within itself. */
function moveReferences(schema: Json, root: string): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isList(schema)) return schema.map((item) => moveReferences(item, root));
  const members = Object.entries(schema).map(([member, value]) =>
    member === '$ref' && typeof value === 'string' && value.startsWith('#')
      ? [member, root + value.slice(1)]
      : [member, moveReferences(value, root)],
  );
  return Object.fromEntries(members) as JsonObject;
}
