import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Problem } from '../contract/problem.js';
import { appendToken, isObject } from '../core/content/json-pointer.js';
import { nearestName, suggestName } from '../core/content/nearest-name.js';
import { isError } from '../core/protocol/document-problem.js';
import { compileLinearPattern } from './linear-pattern.js';
import {
  listChildren,
  listSubschemas,
  mapChildren,
  pointerOfReference,
  type Subschema,
} from '../core/content/subschemas.js';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Every keyword that the vocabularies of the dialect define, and the older name of `$defs`. */
const KNOWN_KEYWORDS: readonly string[] = [
  'definitions',
  ...Object.entries(new Ajv2020().schemas).flatMap(([id, vocabulary]) => {
    const { properties = {} } = (vocabulary?.schema ?? {}) as { readonly properties?: JsonObject };
    return id.includes('/meta/') ? Object.keys(properties) : [];
  }),
];

/** How the dialect says what keywords of OpenAPI and of earlier drafts say. */
const FORMER_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['nullable', 'Write the type "null" beside the others, as in "type": ["string", "null"].'],
  ['dependencies', 'Write "dependentRequired" or "dependentSchemas".'],
  ['additionalItems', 'Write "prefixItems" for the first items, and "items" for the rest.'],
  ['id', 'Write "$id".'],
  ['example', 'Write "examples", a list.'],
]);

/** A schema without what checks nothing: the validator obeys some keywords of other dialects, and breaks on others. */
export function withKnownKeywords(schema: JsonObject): JsonObject {
  const known = Object.entries(schema).filter(([keyword]) => KNOWN_KEYWORDS.includes(keyword));
  return mapChildren(Object.fromEntries(known), (child) => (isObject(child) ? withKnownKeywords(child) : child));
}

/** The most that one schema may hold. */
const SUBSCHEMAS_MAX = 2000;
const CHARACTERS_MAX = 262_144;
/** Instructions of the programs that match all its patterns. */
const PATTERN_SIZE_MAX = 50_000;

const TRACKED_MAX = 100_000;
/** So many references to nothing are compared with against all that there is. */
const SUGGESTED_MAX = 20;

/** Keywords that point elsewhere than by a pointer within the document. */
const FAR_KEYWORDS = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$vocabulary'];

/** The keywords in which the validator passes over a member of that name. */
const NAMING_KEYWORDS = ['patternProperties', 'properties'];
const UNCHECKED_NAME = '__proto__';

/** Says that a schema is too large to be looked at. */
export function checkSize(schema: JsonObject): readonly Problem[] {
  if (JSON.stringify(schema).length > CHARACTERS_MAX) return [tooLarge(`longer than ${CHARACTERS_MAX} characters`)];
  const subschemas = listSubschemas(schema);
  if (subschemas.length > SUBSCHEMAS_MAX) return [tooLarge(`of more than ${SUBSCHEMAS_MAX} schemas`)];
  if (countTracked(subschemas) > TRACKED_MAX) return [tooLarge('too large for "unevaluatedProperties"')];
  return checkPatternSizes(subschemas);
}

/** The validator writes code for each name in each schema that looks at the same value, where it tracks what is evaluated. */
function countTracked(subschemas: readonly Subschema[]): number {
  const schemas = subschemas.map(({ schema }) => schema).filter(isObject);
  if (!schemas.some((schema) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema)) return 0;
  const merging = subschemas.filter(({ schema, in_place }) => in_place || (isObject(schema) && '$ref' in schema));
  return merging.length * schemas.reduce((sum, { properties }) => sum + Object.keys(properties ?? {}).length, 0);
}

/** A repeat of a repeat is a short text and a large program. */
function checkPatternSizes(subschemas: readonly Subschema[]): readonly Problem[] {
  let size = 0;
  for (const { schema, pointer } of subschemas) {
    for (const pattern of isObject(schema) ? patternsOf(schema) : []) {
      const compiled = compileLinearPattern(pattern);
      size += compiled.ok ? compiled.pattern.size : 0;
      if (size > PATTERN_SIZE_MAX)
        return [{ ...tooLarge(`too large from here on: its patterns repeat too much`), pointer }];
    }
  }
  return [];
}

function patternsOf(schema: JsonObject): readonly string[] {
  const { pattern, patternProperties } = schema as Readonly<Record<string, Json | undefined>>;
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
}

/**
 * Checks an author's schema beyond the metaschema: it refers to nothing outside itself, and its references end. Unknown
 * keywords and formats are notes.
 */
export function checkSchema(schema: JsonObject, knownFormats: ReadonlySet<string>): readonly Problem[] {
  const subschemas = listSubschemas(schema);
  const problems = [
    ...checkDialect(schema),
    ...subschemas.flatMap((subschema) => checkKeywords(subschema, knownFormats)),
  ];
  const places = new Map(subschemas.map((subschema) => [subschema.pointer, subschema.schema]));
  const lost = subschemas.flatMap(({ schema, pointer }) => {
    const target = isObject(schema) ? targetOf(schema) : undefined;
    return target === undefined || places.has(target) ? [] : [{ pointer, target }];
  });
  const references = lost.map(({ pointer, target }, index) =>
    unknownReference(pointer, target, index < SUGGESTED_MAX ? [...places.keys()] : []),
  );
  const found = [...problems, ...references];
  return found.some(isError) ? found : [...found, ...checkEnds(places)];
}

/** Finds a schema that comes back to itself at one and the same place of a value. */
function checkEnds(places: ReadonlyMap<string, Json>): readonly Problem[] {
  const ended = new Set<string>();
  const open = new Set<string>();
  const comesBack = (pointer: string): boolean => {
    if (open.has(pointer) || ended.has(pointer)) return open.has(pointer);
    open.add(pointer);
    const found = listInPlace(places.get(pointer), pointer).some(comesBack);
    open.delete(pointer);
    ended.add(pointer);
    return found;
  };
  const circular = [...places.keys()].find(comesBack);
  if (circular === undefined) return [];
  const message = 'this schema refers to itself without looking deeper into the value';
  const repair = 'Break the circle, or refer back only from within "properties" or "items".';
  return [{ code: 'SCHEMA_NEVER_ENDS', message, pointer: circular, repair }];
}

function listInPlace(schema: Json | undefined, pointer: string): readonly string[] {
  if (!isObject(schema)) return [];
  const inPlace = listChildren(schema, pointer).filter((child) => child.in_place);
  const reference = targetOf(schema);
  return [...inPlace.map((child) => child.pointer), ...(reference === undefined ? [] : [reference])];
}

function tooLarge(how: string): Problem {
  return {
    code: 'SCHEMA_TOO_LARGE',
    message: `this schema is ${how}`,
    pointer: '',
    repair: 'Ask for less, or split it.',
  };
}

function checkDialect(schema: JsonObject): readonly Problem[] {
  const dialect = schema['$schema'];
  if (dialect === undefined || dialect === DIALECT) return [];
  return [
    {
      code: 'UNKNOWN_DIALECT',
      message: 'only JSON Schema 2020-12 is known here',
      pointer: '/$schema',
      repair: `Write "${DIALECT}".`,
    },
  ];
}

function checkKeywords({ schema, pointer }: Subschema, knownFormats: ReadonlySet<string>): readonly Problem[] {
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = appendToken(pointer, keyword);
    if (NAMING_KEYWORDS.includes(keyword) && isObject(value) && Object.hasOwn(value, UNCHECKED_NAME))
      return [uncheckedName(appendToken(place, UNCHECKED_NAME))];
    if (FAR_KEYWORDS.includes(keyword)) return [farReference(place, `"${keyword}" is not supported`)];
    if (keyword === '$ref' && typeof value === 'string' && pointerOfReference(value) === undefined)
      return [farReference(place, `"${value}" is no pointer within the document`)];
    if (keyword === '$id' && pointer !== '') return [farReference(place, 'a "$id" within a schema is not supported')];
    if (keyword === 'pattern' && typeof value === 'string') return checkPattern(place, value);
    if (keyword === 'patternProperties' && isObject(value)) {
      return Object.keys(value).flatMap((pattern) => checkPattern(appendToken(place, pattern), pattern));
    }
    if (keyword === 'format' && typeof value === 'string')
      return checkKnown(place, value, [...knownFormats], {
        code: 'UNKNOWN_FORMAT',
        message: `the format "${value}" is not known and checks nothing`,
      });
    return checkKnown(
      place,
      keyword,
      KNOWN_KEYWORDS,
      {
        code: 'UNKNOWN_KEYWORD',
        message: `"${keyword}" is no keyword of JSON Schema 2020-12 and checks nothing`,
      },
      FORMER_KEYWORDS.get(keyword),
    );
  });
}

function uncheckedName(pointer: string): Problem {
  return {
    code: 'NAME_NOT_CHECKED',
    message: `"${UNCHECKED_NAME}" names what every object inherits, and cannot be checked`,
    pointer,
    repair: 'Choose another name.',
  };
}

function farReference(pointer: string, message: string): Problem {
  return {
    code: 'UNSUPPORTED_REFERENCE',
    message,
    pointer,
    repair: 'Refer by "$ref" to a pointer within the document, such as "#/$defs/name".',
  };
}

function checkPattern(pointer: string, pattern: string): readonly Problem[] {
  try {
    void new RegExp(pattern, 'u');
  } catch (error) {
    const message = `${JSON.stringify(pattern)} is no regular expression: ${(error as Error).message}`;
    const repair = 'Correct it; a sign that only means itself is written with a backslash.';
    return [{ code: 'BAD_PATTERN', message, pointer, repair }];
  }
  const compiled = compileLinearPattern(pattern);
  if (compiled.ok) return [];
  const message = `${JSON.stringify(pattern)} cannot be matched in time that grows with the text alone: ${compiled.reason}`;
  const repair = 'Write it without lookaround and backreferences, and with at most 1000 repeats.';
  return [{ code: 'PATTERN_NOT_LINEAR', message, pointer, repair }];
}

function checkKnown(
  pointer: string,
  name: string,
  known: readonly string[],
  unknown: Pick<Problem, 'code' | 'message'>,
  today?: string,
): readonly Problem[] {
  if (known.includes(name)) return [];
  const nearest = nearestName(name, known);
  const repair = today ?? (nearest === undefined ? 'Remove it, or accept that.' : `Did you mean "${nearest}"?`);
  return [{ ...unknown, pointer, repair, severity: 'note' }];
}

function targetOf({ $ref }: JsonObject): string | undefined {
  return typeof $ref === 'string' ? pointerOfReference($ref) : undefined;
}

function unknownReference(pointer: string, target: string, places: readonly string[]): Problem {
  const repair = suggestReference(target, places);
  const message = `no schema stands at "#${target}"`;
  return { code: 'UNKNOWN_REFERENCE', message, pointer: appendToken(pointer, '$ref'), repair };
}

function suggestReference(target: string, places: readonly string[]): string {
  const defined = places.filter((place) => /^\/(\$defs|definitions)\/[^/]+$/.test(place));
  if (defined.length === 0) return 'Define it under "$defs", and refer to "#/$defs/" and its name.';
  return suggestName(
    `#${target}`,
    defined.map((place) => `#${place}`),
  );
}
