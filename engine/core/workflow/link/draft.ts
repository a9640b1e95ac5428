import type { Json, JsonObject } from '../../../contract/json.js';
import type { Problem } from '../../../contract/problem.js';
import { findAt, isList, isObject, pointerTokens } from '../../content/json-pointer.js';
import { nearestName } from '../../content/nearest-name.js';
import { schemaShape, type Shape } from '../../typing/shape.js';
import { smallestValue } from '../../typing/smallest-value.js';
import { namesBelow, possibleCases, stepInto } from '../../typing/step.js';
import { valuesOf } from '../../typing/value-types.js';

/** One repair shows the faults behind it: of a misspelt member first its name, then its value. */
const ROUNDS_MAX = 4;

/** Members whose text nothing refers to. */
const FREE_TEXTS = ['label', 'description', 'name', 'state', 'goal', 'content'];

/**
 * A document whose plain faults are repaired, only to look for faults that do not depend on them. Plain are a name or a
 * fixed value that is misspelt or unknown, a path without `{"path"}` around it, a number, and a text that nothing refers to.
 * @param listFaults gives the faults of a document against its schema
 * @returns undefined where there are other faults
 */
export function draftOf(
  schema: JsonObject,
  document: JsonObject,
  listFaults: (document: JsonObject) => readonly Problem[],
): JsonObject | undefined {
  let draft: Json = document;
  for (let round = 0; round < ROUNDS_MAX && isObject(draft); round++) {
    const faults = listFaults(draft);
    if (faults.length === 0) return draft;
    for (const { code, pointer = '' } of faults)
      draft = repair({ value: draft, shape: schemaShape(schema), name: '' }, pointerTokens(pointer), code);
  }
  return undefined;
}

/** A value at a place of a document, what its schema knows of it, and the name of the member that holds it. */
interface Placed {
  readonly value: Json;
  readonly shape: Shape;
  readonly name: string;
}

function repair(placed: Placed, [token, ...rest]: readonly string[], code: Problem['code']): Json {
  const { value, shape } = placed;
  if (token === undefined) return code === 'MISSING_FIELD' ? withRequired(placed) : meantBy(placed);
  const inner = findAt(value, [token]);
  if (inner === undefined || typeof value !== 'object' || value === null) return value;
  const below = { value: inner, shape: stepInto(shape, token).shape, name: token };
  if (isList(value)) return value.with(Number(token), repair(below, rest, code));
  const isUnknown = rest.length === 0 && code === 'UNKNOWN_FIELD';
  const meant = nearestName(
    token,
    namesBelow(shape).filter((name) => !Object.hasOwn(value, name)),
  );
  const repaired = isUnknown ? { ...(meant && { [meant]: inner }) } : { [token]: repair(below, rest, code) };
  const { [token]: _, ...others } = value;
  return { ...others, ...repaired };
}

function withRequired({ value, shape }: Placed): Json {
  if (!isObject(value)) return value;
  const names = namesBelow(shape).filter((name) => !Object.hasOwn(value, name));
  const filled = names.flatMap((name) => {
    const step = stepInto(shape, name);
    const filling = step.presence === 'there' ? freeValue(step.shape, name) : undefined;
    return filling === undefined ? [] : [[name, filling] as const];
  });
  return { ...value, ...Object.fromEntries(filled) };
}

function meantBy({ value, shape, name }: Placed): Json {
  if (shape.kind !== 'schema') return value;
  const fixed = possibleCases(shape).flatMap(({ schemas }) => valuesOf(schemas) ?? []);
  const texts = fixed.filter((one) => typeof one === 'string');
  const nearest = typeof value === 'string' ? nearestName(value, texts) : undefined;
  if (typeof value === 'string' && namesBelow(shape).includes('path')) return { path: value };
  return nearest ?? freeValue(shape, name) ?? value;
}

/** A value that fits, where no other part of the documents can depend on which. */
function freeValue(shape: Shape, name: string): Json | undefined {
  if (shape.kind !== 'schema') return undefined;
  const [schema = true] = shape.schemas;
  const value = smallestValue(shape.root, schema);
  const isFree = typeof value === 'number' || typeof value === 'boolean' || FREE_TEXTS.includes(name);
  return isFree ? value : undefined;
}
