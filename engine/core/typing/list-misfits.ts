import type { Json, JsonObject } from '../../contract/json.js';
import type { Unfit } from '../../contract/problems/workflows.js';
import { appendToken } from '../content/json-pointer.js';
import { coversOfItem, coversOfMember } from './members.js';
import type { Demand } from './part-schema.js';
import { type Case, expandCases, listAt } from './schema-cases.js';
import { literalShape, type Shape } from './shape.js';
import { namesBelow, possibleCases, stepInto } from './step.js';
import { includesValue, typesOf, type ValueType, valuesOf } from './value-types.js';

/** Why a value that can come will not be accepted. */
export interface Misfit {
  readonly pointer: string;
  readonly why: Unfit;
}

/** The demands that a known value breaks. */
export type CheckValue = (value: Json, demand: Demand) => readonly Misfit[];

interface Comparison {
  readonly checkValue: CheckValue;
  /** Where references of the demands lead. */
  readonly root: JsonObject;
  /** Whether one more comparison may be made. */
  readonly spend: () => boolean;
  readonly depth: number;
}

/** Recursive schemas have no end, and those of a hostile author are wide: what is beyond these bounds counts as fitting. */
const COMPARISONS_MAX = 5000;
const DEPTH_MAX = 40;

/**
 * Compares a shape with a schema. A known value is validated whole; of any other, types, required members, members that
 * are refused, and enumerated values are compared. The validator checks the rest at run time.
 */
export function listMisfits(shape: Shape, schema: JsonObject, checkValue: CheckValue): readonly Misfit[] {
  let left = COMPARISONS_MAX;
  const misfits = compare(shape, [schema], '', { checkValue, root: schema, spend: () => left-- > 0, depth: 0 });
  return [...new Map(misfits.map((misfit) => [JSON.stringify(misfit), misfit])).values()];
}

function compare(shape: Shape, demand: Demand['schemas'], pointer: string, above: Comparison): readonly Misfit[] {
  if (demand.length === 0 || above.depth === DEPTH_MAX || !above.spend()) return [];
  const comparison = { ...above, depth: above.depth + 1 };
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'literal':
      return comparison
        .checkValue(shape.value, { schemas: demand, root: comparison.root })
        .map((misfit) => ({ ...misfit, pointer: `${pointer}${misfit.pointer}` }));
    case 'record':
      return compareType(shape, 'object', demand, pointer, comparison);
    case 'list':
      return compareType(shape, 'array', demand, pointer, comparison);
    case 'either':
      return shape.shapes.flatMap((one) => compare(one, demand, pointer, comparison));
    case 'schema':
      // What redaction cuts is not wholly known.
      if (shape.allow !== 'all') return [];
      return possibleCases(shape).flatMap(({ schemas, types }) => {
        const values = valuesOf(schemas);
        if (values !== undefined)
          return values.flatMap((value) => compare(literalShape(value), demand, pointer, comparison));
        // Where any number can come, a fraction stands for all of them.
        const distinct = types.includes('fraction') ? types.filter((type) => type !== 'integer') : types;
        return distinct.flatMap((type) =>
          compareType({ ...shape, schemas: [...schemas, { type: nameOf(type) }] }, type, demand, pointer, comparison),
        );
      });
  }
}

/** Values of one type must fit one of the demand's cases: the nearest says why they fit none. */
function compareType(
  shape: Shape,
  type: ValueType,
  demand: Demand['schemas'],
  pointer: string,
  comparison: Comparison,
): readonly Misfit[] {
  const cases = expandCases(demand, comparison.root);
  const ofType = cases.filter((one) => typesOf(one).includes(type));
  if (ofType.length === 0) {
    const wanted = [...new Set(cases.flatMap(typesOf).map(nameOf))];
    return [{ pointer, why: { kind: 'type', found: nameOf(type), wanted } }];
  }
  const lists = ofType.map((one) => {
    const accepted = valuesOf(one);
    if (accepted === undefined) return compareParts(shape, type, one, pointer, comparison);
    return isAccepted(type, accepted)
      ? []
      : [{ pointer, why: { kind: 'value', found: nameOf(type), accepted } } as const];
  });
  return lists.toSorted((left, right) => left.length - right.length)[0] ?? [];
}

/** Objects and lists may hold exactly the accepted values. */
function isAccepted(type: ValueType, accepted: readonly Json[]): boolean {
  if (type === 'boolean') return includesValue(accepted, true) && includesValue(accepted, false);
  return type === 'object' || type === 'array' || type === 'null';
}

function compareParts(
  shape: Shape,
  type: ValueType,
  one: Case,
  pointer: string,
  comparison: Comparison,
): readonly Misfit[] {
  if (type !== 'object' && type !== 'array') return [];
  const required = type === 'object' ? one.flatMap((schema) => listAt(schema, 'required')) : [];
  const lacking = [...new Set(required)]
    .filter((name) => typeof name === 'string')
    .flatMap((name): readonly Misfit[] => {
      const { presence } = stepInto(shape, name);
      if (presence === 'there') return [];
      return [{ pointer, why: { kind: 'lacks', name, always: presence === 'never' } }];
    });
  // The first item stands for all items of a list that only a schema describes.
  const names = type === 'array' && shape.kind === 'schema' ? ['0'] : namesBelow(shape);
  const misfits = names.flatMap((name): readonly Misfit[] => {
    const step = stepInto(shape, name);
    if (step.presence === 'never') return [];
    const place = appendToken(pointer, name);
    const schemas = type === 'object' ? coversOfMember(one, name) : coversOfItem(one, Number(name));
    if (schemas.includes(false)) return [{ pointer: place, why: { kind: 'refused' } }];
    return compare(step.shape, schemas, place, comparison);
  });
  return [...lacking, ...misfits];
}

/** The JSON Schema name of a type. */
function nameOf(type: ValueType): string {
  return type === 'fraction' ? 'number' : type;
}
