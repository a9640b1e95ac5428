/** Checks hostile pairs in a process of its own, which its parent has given little time and memory. */
import * as fc from 'fast-check';
import { contentHash } from '../../engine/core/content/canonical.js';
import { createCompileSchema } from '../../engine/schema/index.js';
import { chainedSchemas, knownPairs, largeValues, type Pair, recursiveSchemas } from './hostile-pairs.js';

const counts = { refused: 0, fits: 0, does_not_fit: 0, too_costly: 0 };

function check({ schema, value }: Pick<Pair, 'schema' | 'value'>): keyof typeof counts {
  const compiled = createCompileSchema()(contentHash(schema), schema);
  if (!compiled.ok) return 'refused';
  const [first] = compiled.value(value);
  if (first === undefined) return 'fits';
  return first.code === 'CHECK_TOO_COSTLY' ? 'too_costly' : 'does_not_fit';
}

for (const pair of knownPairs) {
  process.stdout.write(`${pair.name}\n`);
  counts[check(pair)] += 1;
}
const [seed = 1, drawn = 0] = process.argv.slice(2).map(Number);
const pairs = [
  ...fc.sample(fc.tuple(recursiveSchemas, largeValues), { numRuns: drawn / 2, seed }),
  ...fc.sample(fc.tuple(chainedSchemas, largeValues), { numRuns: drawn / 2, seed }),
];
for (const [schema, value] of pairs) counts[check({ schema, value })] += 1;
process.stdout.write(`${JSON.stringify(counts)}\n`);
