import { coversOfMember } from './members.js';
import type { Presence } from './presence.js';
import { type Case, ownMember } from './schema-cases.js';
import type { Shape } from './shape.js';
import { namesBelow, stepInto } from './step.js';

/** Keywords by which a schema may be narrower than its types, members, items and limits tell. */
const NARROWING = ['not', 'contains', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems'];

/** A name that no schema is likely to know. */
export const OTHER_NAME = 'another_member';

/** Whether only a validator could tell what a shape lets through. */
export function isNarrowedOtherwise(shape: Shape): boolean {
  return (
    shape.kind === 'schema' &&
    shape.schemas.some((schema) => NARROWING.some((keyword) => Object.hasOwn(Object(schema), keyword)))
  );
}

/**
 * Why a list or an object has another number of items or members than a case allows: ends of sentences.
 * @param isStrict tells also what only may be
 */
export function compareCounts(shape: Shape, type: 'array' | 'object', one: Case, isStrict: boolean): readonly string[] {
  const isList = type === 'array';
  const noun = isList ? 'items' : 'members';
  const reaches = isList ? reachesItems : reachesMembers;
  const mayBe = isStrict && !isNarrowedOtherwise(shape);
  const least = Math.max(0, ...limitsOf(one, isList ? 'minItems' : 'minProperties'));
  const most = Math.min(COUNT_MAX, ...limitsOf(one, isList ? 'maxItems' : 'maxProperties'));
  const enough = reaches(shape, least);
  const more = most === COUNT_MAX ? 'never' : reaches(shape, most + 1);
  return [
    ...(enough === 'never' || (enough === 'maybe' && mayBe) ? [sayFewer(enough, least, noun)] : []),
    ...(more === 'there' || (more === 'maybe' && mayBe) ? [`${say(more)} more than ${most} ${noun}`] : []),
  ];
}

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

function sayFewer(presence: Presence, least: number, noun: string): string {
  if (least === 1) return presence === 'maybe' ? 'may be empty' : 'is empty';
  return `${say(presence)} fewer than ${least} ${noun}`;
}

function say(presence: Presence): string {
  return presence === 'maybe' ? 'may have' : 'has';
}

/** Whether a list has at least so many items. */
function reachesItems(shape: Shape, count: number): Presence {
  return count === 0 ? 'there' : stepInto(shape, String(count - 1)).presence;
}

/** Whether an object has at least so many members. */
function reachesMembers(shape: Shape, count: number): Presence {
  const names = namesBelow(shape);
  const own: Case = shape.kind === 'schema' ? (shape.schemas as Case) : [];
  const there = names.filter((name) => stepInto(shape, name).presence === 'there').length;
  if (count <= Math.max(there, ...limitsOf(own, 'minProperties'))) return 'there';
  const isClosed = shape.kind !== 'schema' || coversOfMember(own, OTHER_NAME).includes(false);
  return count > Math.min(isClosed ? names.length : COUNT_MAX, ...limitsOf(own, 'maxProperties')) ? 'never' : 'maybe';
}

function limitsOf(schemas: Case, keyword: string): readonly number[] {
  return schemas.map((schema) => ownMember(schema, keyword)).filter((value) => typeof value === 'number');
}
