import type { Json, JsonObject } from '../../../contract/json.js';
import { appendToken } from '../../content/json-pointer.js';
import { coversOfItem, coversOfMember } from './members.js';
import { type Case, expandCases, listAt } from './schema-cases.js';
import { literalShape, schemaShape, type Shape } from './shape.js';
import { namesBelow, possibleCases, stepInto } from './step.js';
import { includesValue, typesOf, type ValueType, valuesOf } from './value-types.js';

/** Why a value that can come will not be accepted. */
export interface Misfit {
  /** Where in the value. */
  readonly pointer: string;
  /** The end of a sentence whose subject is the value. */
  readonly why: string;
}

/** What is demanded of a value. */
interface Demand {
  readonly schemas: readonly Json[];
  readonly root: JsonObject;
}

/** A shape of which all values are of one type. */
interface Form {
  readonly type: ValueType;
  readonly shape: Shape;
  /** Where only one value can come. */
  readonly value?: Json;
}

type Spend = () => boolean;

/** Recursive schemas have no end, and hostile ones are wide: after so many comparisons the rest is taken to fit. */
const COMPARISONS_MAX = 5000;
const ITEMS_MAX = 32;

/**
 * What of a shape a schema would refuse, as far as types, required members, refused members and named values tell.
 * What is not known, and all finer rules, are taken to fit.
 */
export function listMisfits(shape: Shape, schema: JsonObject): readonly Misfit[] {
  let left = COMPARISONS_MAX;
  const misfits = compare(shape, { schemas: [schema], root: schema }, '', () => left-- > 0);
  return [...new Map(misfits.map((misfit) => [`${misfit.pointer}\n${misfit.why}`, misfit])).values()];
}

function compare(shape: Shape, demand: Demand, pointer: string, spend: Spend): readonly Misfit[] {
  const forms = formsOf(shape);
  if (forms.length === 0 || demand.schemas.length === 0 || !spend()) return [];
  const cases = expandCases(demand.schemas, demand.root);
  return forms.flatMap((form) =>
    fewest(cases.map((one) => compareForm(form, { one, root: demand.root }, pointer, spend))),
  );
}

/** A value need fit only one case: the nearest tells why it fits none. */
function fewest(lists: readonly (readonly Misfit[])[]): readonly Misfit[] {
  return lists.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

/** A shape by types, and by values where it names them; nothing of what is not known or not wholly seen. */
function formsOf(shape: Shape): readonly Form[] {
  switch (shape.kind) {
    case 'unknown':
      return [];
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
        return values.flatMap(formsOfValue);
      });
  }
}

function formsOfValue(value: Json): readonly Form[] {
  if (typeof value === 'object' && value !== null) return formsOf(literalShape(value));
  const [type = 'null'] = typesOf([{ const: value }]);
  return [{ type, shape: schemaShape({ const: value }), value }];
}

function compareForm(
  form: Form,
  { one, root }: { readonly one: Case; readonly root: JsonObject },
  pointer: string,
  spend: Spend,
): readonly Misfit[] {
  const types = typesOf(one);
  if (!types.includes(form.type)) return [{ pointer, why: `is ${describe(form)}, and ${listTypes(types)} is wanted` }];
  const values = valuesOf(one);
  if (values !== undefined) return compareNamed(form, values, pointer);
  switch (form.type) {
    case 'object':
      return [...compareRequired(form, one, pointer), ...compareMembers(form, { one, root }, pointer, spend)];
    case 'array':
      return compareItems(form, { one, root }, pointer, spend);
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
  // What objects and lists hold may be just what is named.
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

function compareMembers(
  form: Form,
  { one, root }: { readonly one: Case; readonly root: JsonObject },
  pointer: string,
  spend: Spend,
): readonly Misfit[] {
  return namesBelow(form.shape).flatMap((name) => {
    const place = appendToken(pointer, name);
    const schemas = coversOfMember(one, name);
    if (schemas.includes(false)) return [{ pointer: place, why: 'is a member that is not accepted' }];
    return compare(stepInto(form.shape, name).shape, { schemas, root }, place, spend);
  });
}

function compareItems(
  form: Form,
  { one, root }: { readonly one: Case; readonly root: JsonObject },
  pointer: string,
  spend: Spend,
): readonly Misfit[] {
  const counted = form.shape.kind === 'list' ? form.shape.items.length : spokenItems(form.shape, one) + 1;
  return Array.from({ length: Math.min(counted, ITEMS_MAX) }, (_, index) => index).flatMap((index) => {
    const step = stepInto(form.shape, String(index));
    const schemas = coversOfItem(one, index);
    if (step.presence === 'never') return [];
    const place = appendToken(pointer, index);
    if (schemas.includes(false)) return [{ pointer: place, why: 'is an item that is not accepted' }];
    return compare(step.shape, { schemas, root }, place, spend);
  });
}

/** Items up to here are spoken of one by one, and the next stands for all that follow. */
function spokenItems(shape: Shape, one: Case): number {
  const own = shape.kind === 'schema' ? shape.schemas.filter((schema) => typeof schema === 'object') : [];
  const lengths = [...own, ...one].map((schema) => listAt(schema as JsonObject, 'prefixItems').length);
  return Math.max(0, ...lengths);
}

function describe({ type, value }: Form): string {
  return value === undefined ? withArticle(type) : JSON.stringify(value);
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

/** What JSON Schema calls a type. */
function nameOf(type: ValueType): string {
  return type === 'fraction' ? 'number' : type;
}
