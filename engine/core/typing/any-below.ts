import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { type Case, listAt, objectAt, ownMember } from './schema-cases.js';
import { eitherShape, type Shape } from './shape.js';
import { namesBelow, possibleCases, stepInto } from './step.js';
import { valuesOf } from './value-types.js';

/** The shape of any member or item of a shape. @returns undefined where there can be none */
export function anyBelow(shape: Shape): Shape | undefined {
  switch (shape.kind) {
    case 'unknown':
      return shape;
    case 'literal':
      return toShape(namesBelow(shape).map((name) => stepInto(shape, name).shape));
    case 'record':
      return toShape([...shape.members.values()]);
    case 'list':
      return toShape(shape.items);
    case 'either':
      return toShape(shape.shapes.flatMap((one) => anyBelow(one) ?? []));
    case 'schema': {
      const below = possibleCases(shape).flatMap(({ schemas, types }) => [
        ...(types.includes('object') ? membersOf(schemas) : []),
        ...(types.includes('array') ? itemsOf(schemas) : []),
      ]);
      const possible = below.filter((schema) => possibleCases({ schemas: [schema], root: shape.root }).length > 0);
      return possible.length === 0 ? undefined : { ...shape, schemas: [{ anyOf: possible }] };
    }
    default:
      return unreachable(shape);
  }
}

function toShape(shapes: readonly Shape[]): Shape | undefined {
  return shapes.length === 0 ? undefined : eitherShape(shapes);
}

function membersOf(schemas: Case): readonly Json[] {
  const values = valuesOf(schemas);
  if (values !== undefined) return namedBelow(values);
  const spoken = schemas.flatMap((schema) => [
    ...Object.values(objectAt(schema, 'properties')),
    ...Object.values(objectAt(schema, 'patternProperties')),
    ...keyword(schema, 'additionalProperties'),
    ...keyword(schema, 'unevaluatedProperties'),
  ]);
  return spoken.length === 0 ? [true] : spoken;
}

function itemsOf(schemas: Case): readonly Json[] {
  const values = valuesOf(schemas);
  if (values !== undefined) return namedBelow(values);
  const spoken = schemas.flatMap((schema) => [
    ...listAt(schema, 'prefixItems'),
    ...keyword(schema, 'items'),
    ...keyword(schema, 'unevaluatedItems'),
  ]);
  return schemas.some((schema) => Object.hasOwn(schema, 'items')) ? spoken : [...spoken, true];
}

function keyword(schema: Case[number], name: string): readonly Json[] {
  const value = ownMember(schema, name);
  return value === undefined ? [] : [value];
}

function namedBelow(values: readonly Json[]): readonly Json[] {
  const below = values.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  return [{ enum: below }];
}
