import type { Json, JsonObject } from '../../contract/json.js';
import { appendToken } from '../content/json-pointer.js';
import { shorten } from '../content/shorten.js';
import { coversOfItem, coversOfMember, namesOf } from './members.js';
import { type Case, expandCases, listAt } from './schema-cases.js';
import type { Demand } from './part-schema.js';
import { literalShape, type Shape } from './shape.js';
import { namesBelow, possibleCases, stepInto } from './step.js';
import { includesValue, typeOf, typesOf, type ValueType, valuesOf } from './value-types.js';

/** Why a value that can come will not be accepted. */
export interface Misfit {
  readonly pointer: string;
  /** The end of a sentence whose subject is the value. */
  readonly why: string;
}

/** The demands that a known value breaks. */
export type CheckValue = (value: Json, demand: Demand) => readonly Misfit[];

/** How a shape is held against a schema. */
export interface Measure {
  readonly checkValue: CheckValue;
  /** Also reports members that the shape's schema leaves open and the demand refuses. */
  readonly is_strict: boolean;
}

/** A shape of which all values are of one type. */
interface Form {
  readonly type: ValueType;
  readonly shape: Shape;
  /** Where only one value can come. */
  readonly value?: Json;
}

interface Comparison extends Measure {
  /** Where references of the demands lead. */
  readonly root: JsonObject;
  /** Whether one more comparison may be made. */
  readonly spend: () => boolean;
  readonly depth: number;
}

/** Recursive schemas have no end, and hostile ones are wide: after so many comparisons the rest counts as fitting. */
const COMPARISONS_MAX = 5000;
/** A value that is deeper counts as one that fits. */
const DEPTH_MAX = 40;
const ITEMS_MAX = 32;
/** A name that no schema is likely to know. */
const OTHER_NAME = 'another_member';

/**
 * Compares a shape with a schema: types, required members, refused members and enumerated values. A literal value is
 * validated whole. Limits of numbers, lengths and counts are left to the validator at run time.
 */
export function listMisfits(shape: Shape, schema: JsonObject, measure: Measure): readonly Misfit[] {
  let left = COMPARISONS_MAX;
  const comparison = { ...measure, root: schema, spend: () => left-- > 0, depth: 0 };
  const misfits = compare(shape, [schema], '', comparison);
  return [...new Map(misfits.map((misfit) => [`${misfit.pointer}\n${misfit.why}`, misfit])).values()];
}

function compare(shape: Shape, demand: Demand['schemas'], pointer: string, above: Comparison): readonly Misfit[] {
  if (shape.kind === 'unknown' || demand.length === 0) return [];
  if (above.depth === DEPTH_MAX || !above.spend()) return [];
  const comparison = { ...above, depth: above.depth + 1 };
  const cases = expandCases(demand, above.root);
  const forms = withoutTwins(formsOf(shape), cases);
  return forms.flatMap((form) => {
    // A value that is known is checked whole, and not once more at each of its parts.
    const within = form.value === undefined ? comparison : { ...comparison, checkValue: () => [] };
    const ofType = cases.filter((one) => typesOf(one).includes(form.type));
    const found = fewest((ofType.length === 0 ? cases : ofType).map((one) => compareForm(form, one, pointer, within)));
    return form.value === undefined
      ? found
      : [...found, ...checkRest(form.value, demand, pointer, { found, comparison })];
  });
}

/** The finer rules that a known value breaks, beside those already found. */
function checkRest(
  value: Json,
  schemas: Demand['schemas'],
  pointer: string,
  { found, comparison }: { readonly found: readonly Misfit[]; readonly comparison: Comparison },
): readonly Misfit[] {
  const broken = comparison
    .checkValue(value, { schemas, root: comparison.root })
    .map((misfit) => ({ ...misfit, pointer: `${pointer}${misfit.pointer}` }));
  return broken.filter((misfit) => !found.some((other) => `${other.pointer}/`.startsWith(`${misfit.pointer}/`)));
}

/** Where no integer is wanted, one form is enough for a number. */
function withoutTwins(forms: readonly Form[], cases: readonly Case[]): readonly Form[] {
  const isWanted = cases.some((one) => typesOf(one).includes('integer'));
  const hasNumber = forms.some(({ type, value }) => type === 'fraction' && value === undefined);
  if (isWanted || !hasNumber) return forms;
  return forms.filter(({ type, value }) => type !== 'integer' || value !== undefined);
}

/** A value need fit only one case: the nearest says why it fits none. */
function fewest(lists: readonly (readonly Misfit[])[]): readonly Misfit[] {
  return lists.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

/** A shape by types, and by values where it names them; nothing of what is not known or not wholly seen. */
function formsOf(shape: Shape): readonly Form[] {
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'literal':
      return [{ type: typeOf(shape.value), shape, value: shape.value }];
    case 'record':
      return [{ type: 'object', shape }];
    case 'list':
      return [{ type: 'array', shape }];
    case 'either':
      return shape.shapes.flatMap(formsOf);
    case 'schema':
      if (shape.allow !== 'all') return [];
      return possibleCases(shape).flatMap(({ schemas, types }) => {
        const values = valuesOf(schemas);
        if (values === undefined)
          return types.map((type) => ({ type, shape: { ...shape, schemas: [...schemas, { type: nameOf(type) }] } }));
        return values.flatMap((value) => formsOf(literalShape(value)));
      });
  }
}

function compareForm(form: Form, one: Case, pointer: string, comparison: Comparison): readonly Misfit[] {
  const types = typesOf(one);
  if (!types.includes(form.type)) return [{ pointer, why: `is ${describe(form)}, and ${listTypes(types)} is wanted` }];
  const values = valuesOf(one);
  if (values !== undefined) return compareNamed(form, values, pointer);
  switch (form.type) {
    case 'object':
      return [
        ...compareRequired(form, one, pointer),
        ...compareMembers(form, one, pointer, comparison),
        ...compareOthers(form, one, pointer, comparison),
      ];
    case 'array':
      return compareItems(form, one, pointer, comparison);
    default:
      return [];
  }
}

function compareNamed(form: Form, values: readonly Json[], pointer: string): readonly Misfit[] {
  const wanted = `${values
    .slice(0, 8)
    .map((value) => JSON.stringify(value))
    .join(', ')}${values.length > 8 ? ', ...' : ''}`;
  const why = `is ${describe(form)}, and only ${wanted} is accepted`;
  if (form.value !== undefined) return includesValue(values, form.value) ? [] : [{ pointer, why }];
  // Objects and lists may hold exactly the named values.
  if (form.type === 'object' || form.type === 'array') return [];
  const isCovered = form.type === 'boolean' && includesValue(values, true) && includesValue(values, false);
  return isCovered || form.type === 'null' ? [] : [{ pointer, why }];
}

function compareRequired(form: Form, one: Case, pointer: string): readonly Misfit[] {
  const required = one.flatMap((schema) => listAt(schema, 'required')).filter((name) => typeof name === 'string');
  return [...new Set(required)].flatMap((name) => {
    const { presence } = stepInto(form.shape, name);
    if (presence === 'there') return [];
    const verb = presence === 'never' ? 'lacks' : 'may lack';
    return [{ pointer, why: `${verb} the required member ${JSON.stringify(name)}` }];
  });
}

function compareMembers(form: Form, one: Case, pointer: string, comparison: Comparison): readonly Misfit[] {
  return namesBelow(form.shape).flatMap((name) => {
    const place = appendToken(pointer, name);
    const schemas = coversOfMember(one, name);
    if (schemas.includes(false)) return [{ pointer: place, why: 'is a member that is not accepted' }];
    return compare(stepInto(form.shape, name).shape, schemas, place, comparison);
  });
}

/** Members that a schema does not mention may be present as well. */
function compareOthers({ shape }: Form, one: Case, pointer: string, comparison: Comparison): readonly Misfit[] {
  if (!comparison.is_strict || shape.kind !== 'schema') return [];
  const spoken = namesBelow(shape);
  const refused = [...namesOf(one), OTHER_NAME].find((name) => {
    const own = coversOfMember(shape.schemas as Case, name);
    const schemas = coversOfMember(one, name);
    if (spoken.includes(name) || own.includes(false)) return false;
    const open = { ...shape, schemas: own.length === 0 ? [true] : own };
    return schemas.includes(false) || compare(open, schemas, pointer, comparison).length > 0;
  });
  if (refused === undefined) return [];
  const which = refused === OTHER_NAME ? 'any other member' : `a member ${JSON.stringify(refused)} of any kind`;
  return [{ pointer, why: `may have ${which}, as its schema does not write "additionalProperties": false` }];
}

function compareItems(form: Form, one: Case, pointer: string, comparison: Comparison): readonly Misfit[] {
  const counted = form.shape.kind === 'schema' ? spokenItems(form.shape, one) + 1 : namesBelow(form.shape).length;
  return Array.from({ length: Math.min(counted, ITEMS_MAX) }, (_, index) => index).flatMap((index) => {
    const step = stepInto(form.shape, String(index));
    const schemas = coversOfItem(one, index);
    if (step.presence === 'never') return [];
    const place = appendToken(pointer, index);
    if (schemas.includes(false)) return [{ pointer: place, why: 'is an item that is not accepted' }];
    return compare(step.shape, schemas, place, comparison);
  });
}

/** Items up to here are described one by one, and the next represents all that follow. */
function spokenItems(shape: Shape, one: Case): number {
  const own = shape.kind === 'schema' ? shape.schemas.filter((schema) => typeof schema === 'object') : [];
  const lengths = [...own, ...one].map((schema) => listAt(schema as JsonObject, 'prefixItems').length);
  return Math.max(0, ...lengths);
}

function describe({ type, value }: Form): string {
  return value === undefined || typeof value === 'object' ? withArticle(type) : shorten(JSON.stringify(value), 60);
}

function listTypes(types: readonly ValueType[]): string {
  const names = types.includes('integer') ? types.filter((type) => type !== 'fraction') : types;
  const shown = names.map((type) =>
    type === 'integer' && types.includes('fraction') ? 'a number' : withArticle(type),
  );
  return shown.length === 0 ? 'nothing' : shown.join(' or ');
}

function withArticle(type: ValueType): string {
  const name = nameOf(type);
  if (type === 'null') return 'null';
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** The JSON Schema name of a type. */
function nameOf(type: ValueType): string {
  return type === 'fraction' ? 'number' : type;
}
