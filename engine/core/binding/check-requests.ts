import type { Json } from '../../contract/json.js';
import type { AvailableTool, Reference } from '../../generated/workflow.js';
import type { ResponseSource } from '../../generated/response-source.js';
import { contentHash } from '../content/canonical.js';
import { isList, pointerTokens } from '../content/json-pointer.js';
import { hashOf } from './compile-parts.js';
import type { Complaint } from '../protocol/document-problem.js';
import { isRead, listMalformedReads, listReads } from '../protocol/request-template.js';
import { type Reader, readAsAll, shapeRead } from '../typing/join-readings.js';
import { type CheckValue, listMisfits } from '../typing/list-misfits.js';
import { partSchema } from '../typing/part-schema.js';
import { literalShape, recordShape, schemaShape, type Shape, UNKNOWN } from '../typing/shape.js';
import { findSchema, type SchemaParts } from './typed-schemas.js';

/** A binding whose request a template makes. */
interface RequestBinding {
  readonly source_ref: Reference;
  readonly request_template: Json;
}

/** A request must fit the schema of its source, as far as can be known before anything runs. */
export function checkRequest(
  parts: SchemaParts,
  binding: RequestBinding,
  pointer: string,
  readers: readonly Reader[],
): readonly Complaint[] {
  const template = binding.request_template;
  const wanted = findRequestSchema(parts, binding.source_ref);
  if (wanted === undefined || listMalformedReads(template).length > 0) return [];
  const measure = { checkValue: checkValueBy(parts), is_strict: false };
  const misfits = listMisfits(templateShape(template, readers), wanted.schema, measure);
  return misfits.map(({ pointer: place, why }) => ({
    code: 'REQUEST_DOES_NOT_FIT',
    message: `${place === '' ? 'The request' : place} ${why}.`,
    pointer: `${pointer}/request_template${place}`,
    repair: `Ask as the request schema of the source ${wanted.label} says.`,
  }));
}

/** The arguments of a tool must fit the request schema of its source. */
export function checkArguments(parts: SchemaParts, tool: AvailableTool, pointer: string): readonly Complaint[] {
  const wanted = findRequestSchema(parts, tool.source_ref);
  const args = findSchema(parts, tool.arguments_schema_ref);
  if (wanted === undefined || args === undefined) return [];
  const measure = { checkValue: checkValueBy(parts), is_strict: true };
  return listMisfits(schemaShape(args), wanted.schema, measure).map(({ pointer: place, why }) => ({
    code: 'ARGUMENTS_DO_NOT_FIT',
    message: `${place === '' ? `What ${tool.name} may be given` : place} ${why}.`,
    pointer: `${pointer}/arguments_schema_ref`,
    repair: `Make the arguments schema as narrow as the request schema of the source ${wanted.label}.`,
  }));
}

interface WantedRequest {
  readonly label: string;
  readonly schema: NonNullable<ReturnType<typeof findSchema>>;
}

function findRequestSchema(parts: SchemaParts, sourceReference: Reference): WantedRequest | undefined {
  const source = parts.find('response_source', hashOf(sourceReference)) as unknown as ResponseSource | undefined;
  const schema = findSchema(parts, source?.request_schema_ref);
  if (source === undefined || schema === undefined) return undefined;
  return { label: source.label, schema };
}

/** A value that is known can be held against every rule. */
function checkValueBy(parts: Pick<SchemaParts, 'compileSchema'>): CheckValue {
  return (value, demand) => {
    const schema = partSchema(demand);
    const compiled = parts.compileSchema(contentHash(schema), schema);
    if (!compiled.ok) return [];
    return compiled.value(value).map(({ pointer = '', message }) => ({ pointer, why: `does not fit: ${message}` }));
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
