import type { Json, JsonObject } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { findAt } from '../content/json-pointer.js';
import { itemOf, type Member, memberOf, namesOf, NEVER } from './members.js';
import { joinPresences } from './presence.js';
import { type Case, expandCases } from './schema-cases.js';
import {
  type Allowed,
  allowBelow,
  eitherShape,
  literalShape,
  type SchemaShape,
  type Shape,
  type Step,
  UNKNOWN,
} from './shape.js';
import { typesOf, type ValueType } from './value-types.js';

const NOTHING: Step = { presence: 'never', shape: UNKNOWN };
const CONTAINER = { type: ['object', 'array'] };

/** The shape of what is at a token below a value. */
export function stepInto(shape: Shape, token: string): Step {
  switch (shape.kind) {
    case 'unknown':
      return { presence: 'there', shape: UNKNOWN };
    case 'literal':
      return toStep(memberOfLiteral(shape.value, token));
    case 'record':
      return toStep(shape.members.get(token));
    case 'list':
      return toStep(isIndex(token) ? shape.items[Number(token)] : undefined);
    case 'either':
      return joinSteps(shape.shapes.map((one) => stepInto(one, token)));
    case 'schema':
      return stepIntoSchema(shape, token);
    default:
      return unreachable(shape);
  }
}

/** The visible names below a value of a shape: members, and indices where their number is known. */
export function namesBelow(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case 'unknown':
      return [];
    case 'literal':
      return typeof shape.value === 'object' && shape.value !== null ? Object.keys(shape.value) : [];
    case 'record':
      return [...shape.members.keys()];
    case 'list':
      return [...shape.items.keys()].map(String);
    case 'either':
      return [...new Set(shape.shapes.flatMap(namesBelow))];
    case 'schema': {
      const names = possibleCases(shape).flatMap(({ schemas }) => namesOf(schemas));
      return [...new Set(names)].filter((name) => stepInto(shape, name).presence !== 'never');
    }
    default:
      return unreachable(shape);
  }
}

/** A case with the types that its values can have. */
interface PossibleCase {
  readonly schemas: Case;
  readonly types: readonly ValueType[];
}

/** Expanded cases, by root and schemas: neither ever changes, and shapes are walked again and again. */
const expanded = new WeakMap<JsonObject, WeakMap<readonly Json[], readonly PossibleCase[]>>();

/** The cases of a shape that some value fits. */
export function possibleCases({ schemas, root }: Pick<SchemaShape, 'schemas' | 'root'>): readonly PossibleCase[] {
  const ofRoot = expanded.get(root) ?? new WeakMap<readonly Json[], readonly PossibleCase[]>();
  const known = ofRoot.get(schemas);
  if (known !== undefined) return known;
  const cases = expandCases(schemas, root)
    .map((one) => ({ schemas: one, types: typesOf(one) }))
    .filter(({ types }) => types.length > 0);
  expanded.set(root, ofRoot.set(schemas, cases));
  return cases;
}

function memberOfLiteral(value: Json, token: string): Shape | undefined {
  const found = findAt(value, [token]);
  return found === undefined ? undefined : literalShape(found);
}

function toStep(found: Shape | undefined): Step {
  return found === undefined ? NOTHING : { presence: 'there', shape: found };
}

function joinSteps(steps: readonly Step[]): Step {
  const found = steps.filter(({ presence }) => presence !== 'never').map(({ shape }) => shape);
  const presence = joinPresences(steps.map((step) => step.presence));
  return found.length === 0 ? NOTHING : { presence, shape: eitherShape(found) };
}

function stepIntoSchema(shape: SchemaShape, token: string): Step {
  if (shape.allow !== 'all' && shape.allow.length === 0) return NOTHING;
  const allow = allowBelow(shape.allow, token);
  const steps = possibleCases(shape).flatMap(({ schemas, types }) =>
    types.map((type): Member => stepIntoCase(schemas, type, { token, allow, shape })),
  );
  const found = steps.filter(({ presence }) => presence !== 'never').map(({ schemas }) => ({ allOf: schemas }));
  if (found.length === 0) return NOTHING;
  const [only = true] = found;
  return {
    presence: joinPresences(steps.map(({ presence }) => presence)),
    shape: { ...shape, schemas: found.length === 1 ? [only] : [{ anyOf: found }], allow },
  };
}

interface Place {
  readonly token: string;
  /** The visible paths below the token. */
  readonly allow: Allowed;
  readonly shape: SchemaShape;
}

function stepIntoCase(schemas: Case, type: ValueType, place: Place): Member {
  switch (type) {
    case 'object':
      return redacted(ifPossible(memberOf(schemas, place.token), place.shape), place);
    case 'array':
      // A list keeps its length: its items are there, emptied where nothing of them may be seen.
      return isIndex(place.token) ? ifPossible(itemOf(schemas, Number(place.token)), place.shape) : NEVER;
    default:
      return NEVER;
  }
}

/** A member that no value fits is not there. */
function ifPossible(member: Member, { root }: SchemaShape): Member {
  return possibleCases({ schemas: member.schemas, root }).length === 0 ? NEVER : member;
}

/** A member on the way to what may be seen is there only as far as it holds something: scalars vanish. */
function redacted({ presence, schemas }: Member, { allow, shape }: Place): Member {
  if (allow === 'all' || presence === 'never') return { presence, schemas };
  const held = [...schemas, CONTAINER];
  if (allow.length === 0 || possibleCases({ schemas: held, root: shape.root }).length === 0) return NEVER;
  const types = possibleCases({ schemas, root: shape.root }).flatMap((one) => one.types);
  const isHeld = types.every((type) => type === 'object' || type === 'array');
  return { presence: isHeld ? presence : 'maybe', schemas: held };
}

function isIndex(token: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(token);
}
