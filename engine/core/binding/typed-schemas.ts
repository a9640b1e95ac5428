import type { JsonObject } from '../../contract/json.js';
import type { Redaction, Reference } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from './compile-parts.js';
import { type Shape, schemaShape, UNKNOWN } from '../typing/shape.js';

export type SchemaParts = Pick<CompileParts, 'find' | 'findManifest' | 'compileSchema' | 'contracts'>;

/** A schema that can be walked. @returns undefined where none is named, or where it is missing or broken, which another check reports */
export function findSchema(parts: SchemaParts, reference: Reference | undefined): JsonObject | undefined {
  if (reference === undefined) return undefined;
  const hash = hashOf(reference);
  const schema = parts.find('json_schema', hash);
  return schema !== undefined && parts.compileSchema(hash, schema).ok ? schema : undefined;
}

/** The shape of a source's answer, as redaction shows it; an unknown one where its schema is missing or broken. */
export function resultShape(
  parts: SchemaParts,
  binding: { readonly result_schema_ref?: Reference; readonly redaction: Redaction },
): Shape {
  const schema = findSchema(parts, binding.result_schema_ref);
  if (schema === undefined && binding.result_schema_ref !== undefined) return UNKNOWN;
  return schemaShape(schema ?? {}, binding.redaction.allow);
}
