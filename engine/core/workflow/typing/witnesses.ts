import type { Json } from '../../../contract/json.js';
import type { Case } from './schema-cases.js';
import type { ValueType } from './value-types.js';

/** Longer texts than this are not tried. */
const TEXT_MAX = 10_000;

const NUMBERS = [0, 1, -1, 0.5, -0.5, 1e9, -1e9];
const TEXTS = ['', 'a', 'A', '0', ' ', '-', 'a b', 'Text of several words.', '\n'];

/** Values of a type that are near the limits that some schemas set: one of them may show where the limits differ. */
export function listWitnesses(type: ValueType, schemas: Case): readonly Json[] {
  switch (type) {
    case 'integer':
      return numbersNear(schemas).filter(Number.isInteger);
    case 'fraction':
      return numbersNear(schemas).filter((value) => !Number.isInteger(value));
    case 'string':
      return [...textsNear(schemas), ...TEXTS];
    default:
      return [];
  }
}

function numbersNear(schemas: Case): readonly number[] {
  const limits = numbersAt(schemas, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf');
  return [...limits.flatMap((limit) => [limit, limit - 1, limit + 1, limit - 0.5, limit + 0.5]), ...NUMBERS];
}

function textsNear(schemas: Case): readonly string[] {
  return numbersAt(schemas, 'minLength', 'maxLength')
    .flatMap((limit) => [limit, limit - 1, limit + 1])
    .filter((length) => length >= 0 && length <= TEXT_MAX)
    .map((length) => 'a'.repeat(length));
}

function numbersAt(schemas: Case, ...keywords: readonly string[]): readonly number[] {
  return schemas
    .flatMap((schema) => keywords.map((keyword) => schema[keyword]))
    .filter((value) => typeof value === 'number');
}
