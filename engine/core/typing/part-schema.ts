import type { Json, JsonObject } from '../../contract/json.js';
import { isObject } from '../content/json-pointer.js';
import { mapReferences } from '../content/subschemas.js';

/** A demand on a value: to fit all of some schemas. */
export interface Demand {
  readonly schemas: readonly Json[];
  /** Where their references lead. */
  readonly root: JsonObject;
}

/** The definition that holds the document, in a schema that has been cut out of it: references lead into the document. */
const ROOT = 'root';

/** A schema by itself that accepts what fits a demand. */
export function partSchema({ schemas, root }: Demand): JsonObject {
  if (schemas.length === 1 && schemas[0] === root) return root;
  if (!JSON.stringify(schemas).includes('"$ref":')) return { allOf: schemas };
  const { $schema: _dialect, $id: _id, ...whole } = root;
  return { allOf: schemas.map(lead), $defs: { [ROOT]: lead(whole) } };
}

/** A schema whose references lead into the definition that holds the document. */
function lead(schema: Json): Json {
  return isObject(schema) ? mapReferences(schema, (reference) => `#/$defs/${ROOT}${reference.slice(1)}`) : schema;
}
