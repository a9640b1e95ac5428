import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TokenUsage } from '../../engine/contract/source.js';
import { toUsd } from '../../engine/core/cost/money.js';
import type { Prices } from '../../engine/generated/prices.js';
import { openPriceBook } from '../../engine/metering/price-book.js';

const NOW = Date.parse('2026-10-01T12:00:00Z');
const OPENAI = 'https://api.openai.com';
const ANTHROPIC = 'https://api.anthropic.com';
const LOCAL = 'http://127.0.0.1:8080';
const USED = { input_tokens: 1_000, output_tokens: 100 };

const OWN: Prices = {
  version: 1,
  models: [
    { model: '*', endpoint: LOCAL, usd_per_million_tokens: { input: 0, output: 0 } },
    { model: 'ours-*', usd_per_million_tokens: { input: 1, output: 2 } },
    { model: 'ours-1', from: '2026-11-01', usd_per_million_tokens: { input: 3, output: 4 } },
    {
      model: 'tiered',
      usd_per_million_tokens: { input: 1, output: 2, cached_input: 0.1, cache_written_input: 1.5 },
      above: [{ input_tokens: 1_000, usd_per_million_tokens: { input: 2, output: 4 } }],
    },
  ],
};

const shipped = openPriceBook();
const own = openPriceBook({ file: 'prices.json', prices: OWN });

for (const [name, book, [usage, model, endpoint, at = NOW], usd] of [
  ['a known model', shipped, [USED, 'gpt-5-mini', OPENAI], 0.00045],
  ['a model at an endpoint that is not known yet', shipped, [USED, 'gpt-5-mini', null], 0.00045],
  ['a model of that name at an unknown endpoint', shipped, [USED, 'gpt-5-mini', LOCAL], null],
  ['an unknown model', shipped, [USED, 'scripted', OPENAI], null],
  ['a call without a model', shipped, [USED, null, OPENAI], null],
  ['nothing used', shipped, [{ input_tokens: 0, output_tokens: 0 }, 'gpt-5-mini', OPENAI], 0],
  ['cached input', shipped, [{ ...USED, cached_input_tokens: 800 }, 'gpt-5-mini', OPENAI], 0.00027],
  [
    'input that was read from a cache and written to it',
    shipped,
    [{ ...USED, cached_input_tokens: 500, cache_written_input_tokens: 100 }, 'claude-sonnet-4-5', ANTHROPIC],
    0.003225,
  ],
  ['a long prompt', shipped, [{ input_tokens: 300_000, output_tokens: 100 }, 'gemini-2.5-pro', null], 0.7515],
  ['negative counts', shipped, [{ input_tokens: -1, output_tokens: 1 }, 'gpt-5-mini', OPENAI], null],
  ['more cached than asked', shipped, [{ ...USED, cached_input_tokens: 1_001 }, 'gpt-5-mini', OPENAI], null],
  ['a local server that its operator calls free', own, [USED, 'gpt-5-mini', LOCAL], 0],
  ['a model that the operator prices', own, [USED, 'ours-1', 'https://else.where'], 0.0012],
  ['the same model from the day of its next price', own, [USED, 'ours-1', null, Date.parse('2026-11-01')], 0.0034],
  ['a model of which the operator says nothing', own, [USED, 'gpt-5-mini', OPENAI], 0.00045],
  [
    'an own price with a cache',
    own,
    [{ ...USED, cached_input_tokens: 100, cache_written_input_tokens: 200 }, 'tiered', null],
    0.00121,
  ],
  ['an own price above its tier', own, [{ input_tokens: 1_001, output_tokens: 100 }, 'tiered', null], 0.002402],
] as const satisfies readonly (readonly [
  string,
  typeof own,
  readonly [TokenUsage, string | null, string | null, number?],
  number | null,
])[])
  test(`${name} costs ${usd === null ? 'nobody knows what' : `$${usd}`}`, () => {
    assert.equal(toUsd(book.costOf(usage, model, endpoint, at)), usd);
  });

test('the snapshot is the package that is installed', async () => {
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const { snapshot, snapshot_date, file } = shipped.sources;
  assert.equal(snapshot, `@pydantic/genai-prices ${dependencies['@pydantic/genai-prices']}`);
  assert.match(snapshot_date, /^\d{4}-\d\d-\d\d$/);
  assert.equal(file, null);
  assert.equal(own.sources.file, 'prices.json');
});

test('calls of one tier cost together what they cost one by one, to the trillionth', () => {
  const place = { model: 'claude-sonnet-4-5', endpoint_origin: ANTHROPIC, at: NOW };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 50 }), (inputs) => {
      const calls = inputs.map((input_tokens) => ({
        input_tokens,
        output_tokens: input_tokens % 977,
        cached_input_tokens: Math.floor(input_tokens / 3),
      }));
      const add = (of: (call: (typeof calls)[number]) => number): number =>
        calls.reduce((sum, call) => sum + of(call), 0);
      const usage = {
        input_tokens: add((call) => call.input_tokens),
        output_tokens: add((call) => call.output_tokens),
        cached_input_tokens: add((call) => call.cached_input_tokens),
      };
      assert.equal(
        shipped.priceAll({ ...place, calls: calls.length, usage }),
        add((one) => shipped.priceAll({ ...place, calls: 1, usage: one }) ?? NaN),
      );
    }),
  );
});

test('the tiers are those of the snapshot, and those of the operator', async () => {
  const snapshot = await readFile('node_modules/@pydantic/genai-prices/dist/index.js', 'utf8');
  const starts = [...snapshot.matchAll(/\bstart: ?([\d_e]+)/g)].map(([, start]) => Number(start?.replaceAll('_', '')));
  assert.ok(starts.length > 0);
  assert.deepEqual(
    [...new Set(starts)].filter((start) => !shipped.tiers.includes(start)),
    [],
  );
  assert.ok(own.tiers.includes(1_000));
});
