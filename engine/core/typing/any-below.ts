import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { listChildren } from '../content/subschemas.js';
import type { Case } from './schema-cases.js';
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
        ...(types.includes('object') ? spokenBelow(schemas, OF_MEMBERS) : []),
        ...(types.includes('array') ? spokenBelow(schemas, OF_ITEMS) : []),
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

const OF_MEMBERS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];
const OF_ITEMS = ['prefixItems', 'items', 'unevaluatedItems'];

/** The schemas of members or items. Where nothing is said of them, or of the items behind the first ones, anything may be there. */
function spokenBelow(schemas: Case, keywords: readonly string[]): readonly Json[] {
  const values = valuesOf(schemas);
  if (values !== undefined)
    return [
      { enum: values.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : [])) },
    ];
  const spoken = schemas.flatMap((schema) =>
    listChildren(schema, '').filter(({ pointer }) => keywords.includes(pointer.split('/')[1] ?? '')),
  );
  const isOpen = keywords === OF_ITEMS ? !spoken.some(({ pointer }) => pointer === '/items') : spoken.length === 0;
  return [...spoken.map(({ schema }) => schema), ...(isOpen ? [true] : [])];
}
