import type { Json, JsonObject } from '../../contract/json.js';
import { pointerTokens } from '../content/json-pointer.js';
import type { Presence } from './presence.js';

/** The facts about a value that are known before a run. */
export type Shape =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'literal'; readonly value: Json }
  | SchemaShape
  | { readonly kind: 'record'; readonly members: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly items: readonly Shape[] }
  | { readonly kind: 'either'; readonly shapes: readonly Shape[] };

/** A value that fits all of some schemas, as redaction lets it be seen. */
export interface SchemaShape {
  readonly kind: 'schema';
  readonly schemas: readonly Json[];
  /** Where their references lead. */
  readonly root: JsonObject;
  readonly allow: Allowed;
}

/** The visible parts of a value: all of it, or the targets of these paths. */
export type Allowed = 'all' | readonly (readonly string[])[];

/** Nothing is known, which is said elsewhere: every path below counts as there. */
export const UNKNOWN: Shape = { kind: 'unknown' };

/** A value that a schema describes, cut to an allow-list of JSON Pointers. */
export function schemaShape(schema: JsonObject, allow: 'all' | readonly string[] = 'all'): Shape {
  return {
    kind: 'schema',
    schemas: [schema],
    root: schema,
    allow: narrow(allow === 'all' ? 'all' : allow.map(pointerTokens)),
  };
}

/** An object with just these members. */
export function recordShape(members: Readonly<Record<string, Shape>> | Iterable<readonly [string, Shape]>): Shape {
  return { kind: 'record', members: new Map(Symbol.iterator in members ? members : Object.entries(members)) };
}

export function literalShape(value: Json): Shape {
  return { kind: 'literal', value };
}

export function eitherShape(shapes: readonly Shape[]): Shape {
  const [first] = shapes;
  return first !== undefined && shapes.length === 1 ? first : { kind: 'either', shapes };
}

/** The reading of a source that has failed. */
export const ABSENCE = recordShape({ absent: recordShape({ failure_class: schemaShape({ type: 'string' }) }) });

/** A shape as if no source failed. */
export function withoutAbsence(shape: Shape): Shape {
  if (shape.kind === 'either') return eitherShape(shape.shapes.filter((one) => one !== ABSENCE).map(withoutAbsence));
  if (shape.kind !== 'record') return shape;
  return recordShape([...shape.members].map(([name, member]) => [name, withoutAbsence(member)]));
}

/** A shape as if redaction hid nothing. */
export function unveil(shape: Shape): Shape {
  switch (shape.kind) {
    case 'unknown':
    case 'literal':
      return shape;
    case 'schema':
      return { ...shape, allow: 'all' };
    case 'record':
      return recordShape([...shape.members].map(([name, member]) => [name, unveil(member)]));
    case 'list':
      return { kind: 'list', items: shape.items.map(unveil) };
    case 'either':
      return { kind: 'either', shapes: shape.shapes.map(unveil) };
  }
}

/** The visible paths of a member or item; an empty list where none is. */
export function allowBelow(allow: Allowed, token: string): Allowed {
  if (allow === 'all') return 'all';
  return narrow(allow.filter(([first]) => first === token || first === '*').map((path) => path.slice(1)));
}

function narrow(allow: Allowed): Allowed {
  return allow !== 'all' && allow.some((path) => path.length === 0) ? 'all' : allow;
}

/** The place one token below a shape. */
export interface Step {
  readonly presence: Presence;
  /** Of what is there, where anything can be. */
  readonly shape: Shape;
}
