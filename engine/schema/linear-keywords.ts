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
    const seen = new Values();
    for (let i = 0; i < items.length; i += 1) {
      const j = seen.add(items[i] ?? null, i, counter);
      if (j === undefined) continue;
      validate.errors = [{ keyword: UNIQUE, params: { i, j }, message: 'must not have equal items' }];
      return false;
    }
    return true;
  };
  return validate;
}

function checkListed(values: readonly Json[], counter: StepCounter): SchemaValidateFunction {
  const known = new Values();
  values.forEach((value, index) => known.add(value, index, FREE));
  const validate: SchemaValidateFunction = (value: Json): boolean => {
    if (known.has(value, counter)) return true;
    validate.errors = [{ keyword: ENUM, params: { allowedValues: values }, message: 'must be a listed value' }];
    return false;
  };
  return validate;
}

type Spend = Pick<StepCounter, 'spend'>;

const FREE: Spend = { spend: () => {} };

/** Values that are found again by what they are: a text or number by itself, a list or object by one text for all its equals. */
class Values {
  readonly #plain = new Map<Json, number>();
  #held: Map<string, number> | undefined;

  /** @returns the place of an equal value, and undefined where the value is new */
  add(value: Json, place: number, counter: Spend): number | undefined {
    if (typeof value !== 'object' || value === null) return put(this.#plain, plain(value, counter), place);
    this.#held ??= new Map();
    return put(this.#held, identityOf(value, counter), place);
  }

  has(value: Json, counter: Spend): boolean {
    if (typeof value !== 'object' || value === null) return this.#plain.has(plain(value, counter));
    return this.#held?.has(identityOf(value, counter)) ?? false;
  }
}

function put<Key>(places: Map<Key, number>, key: Key, place: number): number | undefined {
  const found = places.get(key);
  if (found === undefined) places.set(key, place);
  return found;
}

/** Looking a text up reads all of it. */
function plain<Value extends Json>(value: Value, counter: Spend): Value {
  counter.spend(2 + (typeof value === 'string' ? value.length >> 3 : 0));
  return value;
}

function identityOf(value: Json, counter: Spend): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(plain(value, counter));
  if (isList(value)) {
    counter.spend(2 + value.length);
    return `[${value.map((item) => identityOf(item, counter)).join(',')}]`;
  }
  const names = Object.keys(value).sort();
  counter.spend(2 + names.length * 8);
  return `{${names.map((name) => `${JSON.stringify(name)}:${identityOf(value[name] ?? null, counter)}`).join(',')}}`;
}
