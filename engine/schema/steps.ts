/**
 * The cost of checking one value, counted in steps. A step takes about 100 ns or less. Validators are synchronous, so that no
 * timer can end them: the generated code itself counts, and throws when the steps are used up. Steps do not depend on the
 * machine, so that the same value is refused everywhere, and again when an attempt is resumed.
 */
import { present } from '../contract/present.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { _, type Code, type CodeKeywordDefinition, type ErrorObject, type KeywordCxt } from 'ajv';
import names from 'ajv/dist/compile/names.js';
import reference from 'ajv/dist/vocabularies/core/ref.js';
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
 * A schema in which every schema counts its steps. References could visit an uncounted schema without end.
 * @param gathers whether all complaints are gathered
 */
export function withSteps(root: JsonObject, gathers: boolean): JsonObject {
  const tracks = listSubschemas(root).some(
    ({ schema }) => isObject(schema) && ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema),
  );
  return countIn(root, tracks, gathers);
}

function countIn(schema: JsonObject, tracks: boolean, gathers: boolean): JsonObject {
  const inner = mapChildren(schema, (child) => (isObject(child) ? countIn(child, tracks, gathers) : child));
  const counted = { ...inner, [STEPS]: { ...weigh(schema, tracks) } };
  const { contains } = inner;
  // The double negation accepts the same, and keeps one complaint about each item in place of all of them.
  return gathers || contains === undefined ? counted : { ...counted, contains: { not: { not: contains } } };
}

/** Whether a complaint comes of that double negation. */
export function isOfContained({ schemaPath }: ErrorObject): boolean {
  return schemaPath.endsWith('/contains/not');
}

function weigh(schema: JsonObject, tracks: boolean): Weight {
  const has = (...keywords: readonly string[]): number => keywords.filter((keyword) => keyword in schema).length;
  const branches = sizeOf(schema['anyOf']) + sizeOf(schema['oneOf']);
  const inPlace = branches + sizeOf(schema['allOf']) + sizeOf(schema['dependentSchemas']);
  const merged = inPlace + has('$ref', 'if', 'then', 'else');
  const patterns = sizeOf(schema['patternProperties']);
  const members = MEMBER_STEPS * (has(...OF_MEMBERS) + patterns + (tracks ? merged : 0));
  const items = has('items', 'unevaluatedItems') + CONTAINED_STEPS * has('contains');
  const texts = has('minLength', 'maxLength', 'const', 'enum');
  return {
    // Each branch that fails makes a complaint, and copies those before it.
    own: 1 + sizesOf(schema) + inPlace + 4 * branches + Math.ceil((branches * branches) / 16),
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
  ajv.removeKeyword('$ref');
  ajv.addKeyword({ ...reference.default, code: (cxt) => countReference(cxt, counter) });
}

/** Complaints of the target are kept until an alternative fits, and are copied behind those before them. */
const FAILED_STEPS = 8;

function countReference(cxt: KeywordCxt, counter: StepCounter): void {
  const result = cxt.result.bind(cxt);
  const left = _`${cxt.gen.scopeValue('obj', { ref: counter })}.left`;
  cxt.result = (condition, fits, fails) =>
    result(condition, fits, () => {
      fails?.();
      cxt.gen.code(_`${left} -= ${FAILED_STEPS} + (${names.default.errors} >> 2)`);
    });
  reference.default.code(cxt);
}

/** The place of each member is written out again for each schema that looks at it, however long its name is. */
function weighMembers(value: object, members: number): number {
  return Object.keys(value).reduce((sum, name) => sum + members + (name.length >> 6), 0);
}

function countSteps({ gen, data, schema, it }: KeywordCxt, counter: StepCounter, complaintsMax: number): void {
  const { own, items, members, texts } = schema as Weight;
  const left = _`${gen.scopeValue('obj', { ref: counter })}.left`;
  const spent = gen.scopeValue('func', { ref: StepsSpent });
  const subtract = (steps: Code): void => void gen.code(_`${left} -= ${steps}`);
  subtract(_`${Math.ceil(own)}`);
  if (items !== undefined) gen.if(_`Array.isArray(${data})`, () => subtract(_`${data}.length * ${items}`));
  if (members !== undefined) {
    const weighNames = gen.scopeValue('func', { ref: weighMembers });
    gen.if(_`${data} && typeof ${data} == "object"`, () => subtract(_`${weighNames}(${data}, ${members})`));
  }
  if (texts !== undefined) gen.if(_`typeof ${data} == "string"`, () => subtract(_`(${data}.length * ${texts}) >> 3`));
  gen.if(_`${left} < 0`, () => gen.throw(_`new ${spent}()`));
  if (it.allErrors)
    gen.if(_`${names.default.errors} > ${complaintsMax}`, () => {
      gen.assign(_`${it.validateName}.errors`, names.default.vErrors);
      gen.return(false);
    });
}
