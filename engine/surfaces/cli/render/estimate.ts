import type { EstimatedUse } from '../../../core/cost/estimate.js';
import type { RunEstimate } from '../../../operations/costs/estimate.js';
import { count, toDollars, toThousands } from '../../../catalogue/words.js';
import { hanging, line, type Lines, strong } from './line.js';
import { tableLines } from './table.js';

/** What the next turns will use and cost. */
export function estimateLines(estimate: RunEstimate): Lines {
  const { world_slug, turns, earlier_turns, least, likely, most, limit, models, prices } = estimate;
  const rows: readonly (readonly [string, EstimatedUse])[] = [
    ['least', least],
    ['likely', likely],
    ['most', most],
    ['the limit', limit],
  ];
  const basis =
    earlier_turns === 0
      ? 'No earlier turn says more: the least is one call a node with what its author wrote, and the likely lies between it and the limit.'
      : `By ${count(earlier_turns, 'earlier turn')}: the least, the mean, and the 95th percentile.`;
  const asked = models.map((model) => model ?? 'a model that is not set').join(', ');
  const unpriced = `No price is known for ${asked}.`;
  const age = prices === null ? '' : ` Prices: ${prices.file ?? `${prices.snapshot} of ${prices.snapshot_date}`}.`;
  return [
    line(strong(`${count(turns, 'turn')} of ${world_slug} will use`), `  model ${asked}`),
    tableLines(rows, {
      '': ([name]) => name,
      calls: ([, use]) => toThousands(use.calls),
      tokens: ([, use]) => toThousands(use.input_tokens + use.output_tokens),
      'of them out': ([, use]) => toThousands(use.output_tokens),
      cost: ([, use]) => toDollars(use.usd),
    }),
    hanging(
      2,
      `  ${basis} The limit is what the authors of its nodes allow.${limit.usd === null ? ` ${unpriced}` : age}`,
    ),
  ];
}
