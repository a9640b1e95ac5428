import { v7 } from 'uuid';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import type { Scene } from './scene.js';

const FEW = 100;
const MANY = 100_000;
const CLAIMS = 400;

/** The growth of a claim's time with a thousand times as much in the queue. */
export async function measureClaims(scene: Scene): Promise<Row> {
  const few = await timeClaims(scene, FEW);
  const many = await timeClaims(scene, MANY);
  return toRow({
    id: 'claim_growth',
    what: `claim, ${MANY.toLocaleString('en')} queued over ${FEW} queued: time`,
    value: many / few,
    unit: 'x',
    goal: { kind: 'at_most', value: 1.5, stretch: 1.15 },
    note: `median of ${CLAIMS}: ${many.toFixed(2)} ms over ${few.toFixed(2)} ms, round trip included`,
  });
}

async function timeClaims(scene: Scene, queued: number): Promise<number> {
  const { engine, outside } = scene;
  const { inbox } = engine.store;
  await scene.empty();
  await fill(scene, queued);
  await inbox.tidy();
  await outside.query('ANALYZE agent_inbox');
  const times: number[] = [];
  for (let made = 0; made < CLAIMS; made += 1) {
    const began = performance.now();
    const [claimed] = await inbox.claim({ most: 1, reserve_ms: 0 });
    times.push(performance.now() - began);
    if (claimed === undefined) throw new Error('nothing was due');
  }
  return median(times);
}

/** Queues the same number in each of as many worlds as there are, or one in each of a few; the first are promoted by tidying up. */
async function fill({ worlds, outside }: Scene, queued: number): Promise<void> {
  const ids = Array.from({ length: queued }, () => v7());
  await outside.query(
    `INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status)
     SELECT ($1::text[])[1 + (position - 1) % $2::int], inbox_id, 'turn', 'queued'
     FROM unnest($3::uuid[]) WITH ORDINALITY AS row (inbox_id, position)`,
    [worlds, Math.min(worlds.length, queued), ids],
  );
}
