/**
 * The cost of checking one value, counted in steps. A step takes about 100 ns or less. Validators are synchronous, so that no
 * timer can end them: the generated code itself counts, and throws when the steps are used up. Steps do not depend on the
 * machine, so that the same value is refused everywhere, and again when an attempt is resumed.
 */
import { present } from '../contract/present.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { _, type Code, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import names from 'ajv/dist/compile/names.js';
import type { Json, JsonObject } from '../contract/json.js';
import { isList, isObject } from '../core/content/json-pointer.js';
import { listSubschemas, mapChildren } from '../core/content/subschemas.js';

/** The most steps that checking one value by an author's schema may take. */
export const STEPS_MAX = 5_000_000;

/** The steps that are left to one check. */
export class StepCounter {
  left = 0;

  /** Takes steps away. @throws StepsSpent where none are left */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new StepsSpent();
  }
}

/** Thrown within a validator. */
export class StepsSpent extends Error {
  constructor() {
    super('checking takes too many steps');
  }
}

const STEPS = 'chukwa:steps';

/** The cost of one application of a schema, without the schemas within it. */
interface Weight {
  readonly own: number;
  /** For each item, member or eight characters of the value. */
  readonly items?: number;
  readonly members?: number;
  readonly texts?: number;
}

/**
 * A schema in which every schema counts its steps.
 * @param every also those that the schema around them counts already: where all complaints are gathered, each stops in time
 */
export function withSteps(root: JsonObject, every: boolean): JsonObject {
  const tracks = listSubschemas(root).some(
    ({ schema }) => isObject(schema) && ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema),
  );
  return countIn(root, tracks, every ? -1 : FREE_MAX);
}

function countIn(schema: JsonObject, tracks: boolean, freeMax: number): JsonObject {
  const inner = mapChildren(schema, (child) => (isObject(child) ? countIn(child, tracks, freeMax) : child));
  const { own, ...others } = weigh(schema, tracks);
  const isFree = own <= freeMax && Object.keys(others).length === 0;
  return isFree ? inner : { ...inner, [STEPS]: { own, ...others } };
}

/** A schema of at most this cost is counted by the schema around it, for each item, member or branch. */
const FREE_MAX = 2;

function weigh(schema: JsonObject, tracks: boolean): Weight {
  const branches = sizeOf(schema['anyOf']) + sizeOf(schema['oneOf']);
  const inPlace = branches + sizeOf(schema['allOf']) + sizeOf(schema['dependentSchemas']);
  const patterns = sizeOf(schema['patternProperties']);
  const has = (...keywords: readonly string[]): number => keywords.filter((keyword) => keyword in schema).length;
  const members = MEMBER_STEPS * (has(...OF_MEMBERS) + patterns + (tracks ? inPlace : 0));
  const items = has('items', 'unevaluatedItems') + CONTAINED_STEPS * has('contains');
  const texts = has('minLength', 'maxLength');
  return {
    // Each branch that fails copies the complaints of those before it.
    own: 1 + sizesOf(schema) + inPlace + Math.ceil((branches * branches) / 16),
    ...present({ items: items || undefined, members: members || undefined, texts: texts || undefined }),
  };
}

/** Listing the members of an object of very many is slow. */
const MEMBER_STEPS = 8;
/** Each item that does not fit leaves a complaint, which is dropped in the end. */
const CONTAINED_STEPS = 8;

const OF_MEMBERS = [
  'additionalProperties',
  'maxProperties',
  'minProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
];

function sizesOf(schema: JsonObject): number {
  const constant = schema['const'] === undefined ? 0 : nodesOf(schema['const']);
  const listed = schema['enum'] === undefined ? 0 : nodesOf(schema['enum']);
  const dependent = schema['dependentRequired'] === undefined ? 0 : nodesOf(schema['dependentRequired']);
  return (
    sizeOf(schema['properties']) +
    sizeOf(schema['prefixItems']) +
    sizeOf(schema['required']) / 4 +
    constant +
    listed +
    dependent
  );
}

function sizeOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  return isList(value) ? value.length : Object.keys(value).length;
}

function nodesOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value as JsonObject).reduce<number>((sum, inner) => sum + nodesOf(inner), 1);
}

/** How validators are made: with a counter, and with the most complaints that they gather where they gather them all. */
export interface Counted {
  readonly counter: StepCounter;
  readonly complaints_max: number;
}

/** Teaches a validator to count its steps, and to stop where it has enough complaints. */
export function addStepKeyword(ajv: Ajv2020, { counter, complaints_max }: Counted): void {
  const definition: CodeKeywordDefinition = {
    keyword: STEPS,
    schemaType: 'object',
    before: '$ref',
    code: (cxt) => countSteps(cxt, counter, complaints_max),
  };
  ajv.addKeyword(definition);
}

function countSteps({ gen, data, schema, it }: KeywordCxt, counter: StepCounter, complaintsMax: number): void {
  const { own, items, members, texts } = schema as Weight;
  const left = _`${gen.scopeValue('obj', { ref: counter })}.left`;
  const spent = gen.scopeValue('func', { ref: StepsSpent });
  const subtract = (steps: Code): void => void gen.code(_`${left} -= ${steps}`);
  subtract(_`${Math.ceil(own)}`);
  if (items !== undefined) gen.if(_`Array.isArray(${data})`, () => subtract(_`${data}.length * ${items}`));
  if (members !== undefined)
    gen.if(_`${data} && typeof ${data} == "object"`, () => subtract(_`Object.keys(${data}).length * ${members}`));
  if (texts !== undefined) gen.if(_`typeof ${data} == "string"`, () => subtract(_`(${data}.length * ${texts}) >> 3`));
  gen.if(_`${left} < 0`, () => gen.throw(_`new ${spent}()`));
  if (it.allErrors)
    gen.if(_`${names.default.errors} > ${complaintsMax}`, () => {
      gen.assign(_`${it.validateName}.errors`, names.default.vErrors);
      gen.return(false);
    });
}
