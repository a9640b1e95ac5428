import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPriceFile } from '../../engine/operations/costs/price-file.js';
import { makeFolder } from '../support/folder.js';

const PRICE = { input: 1, output: 2 };

for (const [name, model, places] of [
  ['an endpoint whose port is none', { endpoint: 'http://a:99999' }, ['/models/0/endpoint']],
  ['an endpoint whose address is not closed', { endpoint: 'http://[x' }, ['/models/0/endpoint']],
  ['an endpoint with a space', { endpoint: 'http://a b' }, ['/models/0/endpoint']],
  ['a proper endpoint', { endpoint: 'http://a:8080' }, []],
  ['two prices above the same count', { above: [200, 300, 200] }, ['/models/0/above/2/input_tokens']],
] as const)
  test(`of ${name}, ${places.length === 0 ? 'nothing is said' : 'the file and the place are named'}`, async (t) => {
    const folder = await makeFolder(t);
    const file = join(folder, 'prices.json');
    const above = ('above' in model ? model.above : []).map((input_tokens) => ({
      input_tokens,
      usd_per_million_tokens: PRICE,
    }));
    const entry = { model: 'x', usd_per_million_tokens: PRICE, ...model, above };
    await writeFile(file, JSON.stringify({ version: 1, models: [entry] }, undefined, 1));
    const read = await readPriceFile(file, () => []);
    const problems = read.ok ? [] : read.problems;
    assert.deepEqual(
      problems.map(({ code, pointer }) => [code, pointer]),
      places.map((place) => ['PRICE_INVALID', place]),
    );
    for (const { location } of problems) assert.ok(location?.file === file && location.line > 1);
  });
