/**
 * `uniqueItems`, `const` and `enum`, checked in time that grows with the value alone. The validator's own keywords compare
 * each item with each other item, and each value with each that is listed; and comparing breaks on an object that has a
 * member named `valueOf` or `toString`.
 */
import type { Ajv2020, FuncKeywordDefinition } from 'ajv/dist/2020.js';
import type { SchemaValidateFunction } from 'ajv/dist/types/index.js';
import type { Json, JsonObject } from '../contract/json.js';
import { isList, isObject } from '../core/content/json-pointer.js';
import type { StepCounter } from './steps.js';
import { mapChildren } from '../core/content/subschemas.js';

const CONST = 'chukwa:const';
const ENUM = 'chukwa:enum';
const UNIQUE = 'chukwa:unique_items';

/** The keyword of JSON Schema that a complaint is about. */
export function writtenKeyword(keyword: string): string {
  if (keyword === ENUM || keyword === CONST) return 'enum';
  return keyword === UNIQUE ? 'uniqueItems' : keyword;
}

/** A list of texts and numbers up to this length is compared faster than it is looked up. */
const COMPARED_MAX = 16;

/** A schema that accepts the same, with keywords that take linear time in place of others. */
export function withLinearKeywords(schema: JsonObject): JsonObject {
  const inner = mapChildren(schema, (child) => (isObject(child) ? withLinearKeywords(child) : child));
  return Object.fromEntries(Object.entries(inner).map(([keyword, value]) => [linearKeyword(keyword, value), value]));
}

function linearKeyword(keyword: string, value: Json): string {
  if (keyword === 'uniqueItems') return UNIQUE;
  if (keyword === 'const') return isHeld(value) ? CONST : keyword;
  if (keyword !== 'enum' || !isList(value)) return keyword;
  const isShort = value.length <= COMPARED_MAX && !value.some(isHeld);
  return isShort ? keyword : ENUM;
}

function isHeld(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Teaches a validator the keywords that take linear time. */
export function addLinearKeywords(ajv: Ajv2020, counter: StepCounter): void {
  const unique: FuncKeywordDefinition = {
    keyword: UNIQUE,
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    compile: (isAsked: boolean) => (isAsked ? checkUnique(counter) : () => true),
  };
  const listed: FuncKeywordDefinition = {
    keyword: ENUM,
    schemaType: 'array',
    errors: true,
    compile: (values: readonly Json[]) => checkListed(values, counter),
  };
  const constant: FuncKeywordDefinition = {
    keyword: CONST,
    errors: true,
    compile: (value: Json) => checkListed([value], counter),
  };
  ajv.addKeyword(unique);
  ajv.addKeyword(listed);
  ajv.addKeyword(constant);
}

function checkUnique(counter: StepCounter): SchemaValidateFunction {
  const validate: SchemaValidateFunction = (items: readonly Json[]): boolean => {
    if (items.length < 2) return true;
    const places = new Map<Json, number>();
    for (const [i, item] of items.entries()) {
      const identity = identityOf(item, counter);
      const j = places.get(identity);
      if (j !== undefined) {
        validate.errors = [{ keyword: UNIQUE, params: { i, j }, message: 'must not have equal items' }];
        return false;
      }
      places.set(identity, i);
    }
    return true;
  };
  return validate;
}

function checkListed(values: readonly Json[], counter: StepCounter): SchemaValidateFunction {
  const known = new Set(values.map((value) => identityOf(value, FREE)));
  const validate: SchemaValidateFunction = (value: Json): boolean => {
    if (known.has(identityOf(value, counter))) return true;
    validate.errors = [{ keyword: ENUM, params: { allowedValues: values }, message: 'must be a listed value' }];
    return false;
  };
  return validate;
}

type Spend = Pick<StepCounter, 'spend'>;

const FREE: Spend = { spend: () => {} };

/** What equal values share: a text or number itself; of a list or object one text, behind a character that no text has. */
function identityOf(value: Json, counter: Spend): Json {
  return isHeld(value) ? `\0${writtenOut(value, counter)}` : plain(value, counter);
}

/** Looking a text up reads all of it. */
function plain<Value extends Json>(value: Value, counter: Spend): Value {
  counter.spend(2 + (typeof value === 'string' ? value.length >> 3 : 0));
  return value;
}

function writtenOut(value: Json, counter: Spend): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(plain(value, counter));
  if (isList(value)) {
    counter.spend(2 + value.length);
    return `[${value.map((item) => writtenOut(item, counter)).join(',')}]`;
  }
  const names = Object.keys(value).sort();
  counter.spend(2 + names.length * 8);
  return `{${names.map((name) => `${JSON.stringify(name)}:${writtenOut(value[name] ?? null, counter)}`).join(',')}}`;
}
