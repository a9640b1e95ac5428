import type { Json, JsonObject } from '../../contract/json.js';
import { isList, isObject } from '../content/json-pointer.js';

/** What is demanded of a value: to fit all of some schemas. */
export interface Demand {
  readonly schemas: readonly Json[];
  /** Where their references lead. */
  readonly root: JsonObject;
}

/** The definition that holds the document, in a schema that has been cut out of it: references lead into the document. */
const ROOT = 'root';

/** Values under these keywords are data: a `$ref` in them means nothing. */
const DATA_KEYWORDS = ['const', 'enum', 'default', 'examples'];

/** What these hold are schemas by name. */
const NAMING_KEYWORDS = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** A schema by itself that accepts what fits a demand. */
export function partSchema({ schemas, root }: Demand): JsonObject {
  if (schemas.length === 1 && schemas[0] === root) return root;
  if (!schemas.some(refers)) return { allOf: schemas };
  const { $schema: _dialect, $id: _id, ...whole } = root;
  return { allOf: schemas.map(lead), $defs: { [ROOT]: lead(whole) } };
}

function refers(schema: Json): boolean {
  return JSON.stringify(schema).includes('"$ref":');
}

/** A schema whose references lead into the definition that holds the document. */
function lead(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, inner]) => {
      if (keyword === '$ref' && typeof inner === 'string') return [keyword, `#/$defs/${ROOT}${inner.slice(1)}`];
      return [keyword, DATA_KEYWORDS.includes(keyword) ? inner : leadWithin(keyword, inner)];
    }),
  );
}

function leadWithin(keyword: string, inner: Json): Json {
  if (isList(inner)) return inner.map(lead);
  if (!NAMING_KEYWORDS.includes(keyword) || !isObject(inner)) return lead(inner);
  return Object.fromEntries(Object.entries(inner).map(([name, schema]) => [name, lead(schema)]));
}
