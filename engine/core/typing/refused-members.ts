import type { Json, JsonObject } from '../../contract/json.js';
import { appendToken, isObject } from '../content/json-pointer.js';
import { followReference, listSubschemas } from '../content/subschemas.js';
import { coversOfMember, namesOf } from './members.js';
import { listAt } from './schema-cases.js';
import { typesOf } from './value-types.js';

/** A member that a schema requires of every object, and lets none have. */
interface RefusedMember {
  /** Of the name in `required`. */
  readonly pointer: string;
  readonly name: string;
  readonly known: readonly string[];
}

/** Against a schema that takes long to look at: members beyond these are not looked at. */
const DEMANDS_MAX = 2000;

/**
 * Lists the members for which no object fits a schema: only those that can be seen without looking at alternatives,
 * patterns or `unevaluatedProperties`.
 * @param root a schema whose references resolve and end
 */
export function listRefusedMembers(root: JsonObject): readonly RefusedMember[] {
  const pointers = new Map(listSubschemas(root).map(({ schema, pointer }) => [schema, pointer]));
  const refused: RefusedMember[] = [];
  const demands: (readonly Json[])[] = [[root]];
  const seen = new Set<Json>();
  for (const demand of demands) {
    const schemas = conjoined(demand, root);
    if (schemas.some((schema) => 'patternProperties' in schema || 'unevaluatedProperties' in schema)) continue;
    for (const schema of schemas.filter((one) => !seen.has(one))) {
      seen.add(schema);
      for (const [index, name] of listAt(schema, 'required').entries()) {
        if (typeof name !== 'string' || demands.length > DEMANDS_MAX) continue;
        const covers = coversOfMember(schemas, name);
        demands.push(covers);
        if (!covers.includes(false) && typesOf(covers.filter(isObject)).length > 0) continue;
        const known = namesOf(schemas).filter(
          (other) => !schemas.some((one) => listAt(one, 'required').includes(other)),
        );
        refused.push({ pointer: appendToken(`${pointers.get(schema)}/required`, index), name, known });
      }
    }
  }
  return refused;
}

/** The schemas that a value fits all at once, with what they refer to and all parts of their `allOf`. */
function conjoined(demand: readonly Json[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<Json>(demand);
  for (const schema of found) {
    if (!isObject(schema)) continue;
    for (const part of listAt(schema, 'allOf')) found.add(part);
    const { $ref } = schema;
    if (typeof $ref === 'string') found.add(followReference(root, $ref) ?? true);
  }
  return [...found].filter(isObject);
}
