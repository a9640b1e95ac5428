import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Archive } from '../../../engine/operations/engine.js';
import type { WorldSnapshot } from '../../../engine/ports/worlds.js';
import type { Asked } from '../../../engine/catalogue/resource.js';

import { renderPage } from '../../../engine/surfaces/browser/layout.js';
import { diff } from '../../../engine/catalogue/resources/diff.js';
import { toPage } from '../../../engine/surfaces/browser/page.js';

/** An agent that has so many memories at each turn. */
function archiveOf(memories: readonly number[]): Archive {
  const at = (turn: number) =>
    ({
      world_slug: 'long',
      turn,
      simulation_time: '2026-01-01T00:00:00.000Z',
      environments: [],
      entities: [
        {
          id: 'bob',
          name: 'Bob',
          kind: 'agent',
          state: 'awake',
          memory: Array.from({ length: memories[turn] ?? 0 }, (_none, index) => ({ content: `day ${index}`, turn })),
        },
      ],
    }) as unknown as WorldSnapshot;
  const worlds = { snapshot: async (_slug: string, turn: number) => at(turn), effects: async () => [] };
  return { store: { worlds } } as unknown as Archive;
}

async function drawDiff(memories: readonly number[]): Promise<string> {
  const parameters = { world_slug: 'long' } as Asked['parameters'];
  const query = { from: '0', to: '1' };
  const shown = await toPage(diff).read(archiveOf(memories), { parameters, query, reader: 'consumer' });
  assert.ok(shown.ok);
  return renderPage(shown.value.view(), { path: '/worlds/long/diff' });
}

test('a difference of many values shows the first, says how many more there are, and stays below 100 KB', async () => {
  const page = await drawDiff([0, 5_000]);
  assert.equal(page.split('<p class="change">').length - 1, 100);
  assert.ok(page.includes('4900 more; the JSON has them all.'));
  assert.ok(page.length < 100_000, `${page.length} characters`);
  assert.ok(!(await drawDiff([0, 100])).includes('more; the JSON'));
});
