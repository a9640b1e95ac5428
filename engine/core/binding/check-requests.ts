import { type Problem, problem } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import type { AmbientSourceBinding, AvailableTool, Reference } from '../../generated/workflow.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { Breach, Demands } from '../../contract/problems/workflows.js';
import { contentHash } from '../content/canonical.js';
import { isList, pointerTokens } from '../content/json-pointer.js';
import { listPathParameters } from '../content/path-parameters.js';
import { hashOf } from './compile-parts.js';
import { isRead, listMalformedReads, listReads } from '../protocol/request-template.js';
import { type Reader, readAsAll, shapeRead } from '../typing/join-readings.js';
import { type CheckValue, listMisfits } from '../typing/list-misfits.js';
import { partSchema } from '../typing/part-schema.js';
import { literalShape, recordShape, schemaShape, type Shape, UNKNOWN } from '../typing/shape.js';
import { findSchema, type SchemaParts } from './typed-schemas.js';

/** A request must fit the schema of its source, as far as can be known before anything runs. */
export function checkRequest(
  parts: SchemaParts,
  { source_ref, request_template: template }: Pick<AmbientSourceBinding, 'source_ref' | 'request_template'>,
  pointer: string,
  readers: readonly Reader[],
): readonly Problem[] {
  if (listMalformedReads(template).length > 0) return [];
  return listBreaches(parts, source_ref, templateShape(template, readers)).map((breach) =>
    problem('REQUEST_DOES_NOT_FIT', breach, { pointer: `${pointer}/request_template${breach.place}` }),
  );
}

/** The arguments of a tool must fit the request schema of its source. */
export function checkArguments(parts: SchemaParts, tool: AvailableTool, pointer: string): readonly Problem[] {
  const args = findSchema(parts, tool.arguments_schema_ref);
  if (args === undefined) return [];
  return listBreaches(parts, tool.source_ref, schemaShape(args)).map((breach) =>
    problem('ARGUMENTS_DO_NOT_FIT', { tool: tool.name, ...breach }, { pointer: `${pointer}/arguments_schema_ref` }),
  );
}

/** Where requests of a shape break the demands of a source, and what demands it. */
function listBreaches(parts: SchemaParts, source: Reference, shape: Shape): readonly Breach[] {
  const checkValue = checkValueBy(parts);
  return listDemands(parts, source).flatMap(({ schema, by }) =>
    listMisfits(shape, schema, checkValue).map(({ pointer: place, why }) => ({ place, why, by })),
  );
}

/** A source's demands on a request: its schema, and without one the members that fill its path. */
function listDemands(
  parts: SchemaParts,
  reference: Reference,
): readonly { readonly schema: JsonObject; readonly by: Demands }[] {
  const source = parts.find('response_source', hashOf(reference)) as unknown as ResponseSource | undefined;
  if (source === undefined) return [];
  const schema = findSchema(parts, source.request_schema_ref);
  if (schema !== undefined) return [{ schema, by: { source: source.label } }];
  const field = parts.findManifest(source.interface.name)?.path_field;
  const path = field === undefined ? undefined : (source.interface as JsonObject)[field];
  if (typeof path !== 'string') return [];
  const required = listPathParameters(path);
  if (required.length === 0) return [];
  const segment = { type: ['string', 'number', 'boolean'] };
  const properties = Object.fromEntries(required.map((name) => [name, segment]));
  return [{ schema: { type: 'object', required, properties }, by: { source: source.label, path } }];
}

/** A value that is known can be held against every rule. */
function checkValueBy(parts: Pick<SchemaParts, 'compileSchema'>): CheckValue {
  return (value, demand) => {
    const schema = partSchema(demand);
    const compiled = parts.compileSchema(contentHash(schema), schema);
    if (!compiled.ok) return [];
    return compiled.value(value).map(({ pointer = '', message }) => ({ pointer, why: { kind: 'rule', message } }));
  };
}

function templateShape(template: Json, readers: readonly Reader[]): Shape {
  if (typeof template !== 'object' || template === null || listReads(template).length === 0)
    return literalShape(template);
  if (isList(template)) return { kind: 'list', items: template.map((item) => templateShape(item, readers)) };
  if (isRead(template)) {
    const reading = readAsAll(readers, pointerTokens(template.$from));
    return reading === undefined ? UNKNOWN : shapeRead(reading, template['default']);
  }
  return recordShape(Object.entries(template).map(([name, inner]) => [name, templateShape(inner, readers)]));
}
