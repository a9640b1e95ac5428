import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../engine/contract/json.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import { settleCall } from '../../engine/operations/settling/settle-call.js';
import { type Running, startChukwa } from '../acceptance/command.js';
import { type Edit, editWorkflows, must, type ParkStage, sharedStage } from '../support/park-stage.js';
import { type Conduct, startUnreliableService, type UnreliableService } from '../support/unreliable-service.js';
import { openDice } from './dice.js';
import { type DeedService, startDeedService } from './deed-service.js';
import { extent } from '../support/extent.js';
import { SCRIPT } from './script.js';

// A few turns in `npm test`, more in `npm run test:chaos`. For ten minutes:
//
//   npm run build && CHUKWA_CHAOS_MINUTES=10 node --import tsx tools/run-tests.ts --all chaos/unreliable-services

const MINUTES = Number(process.env['CHUKWA_CHAOS_MINUTES'] ?? 0);
const WORKERS = 2;
const [WORLDS, TURNS] = extent([2, 3], [6, 9]);
const DRUNK = { status: 'running', message: 'Cold, clear water runs for a few seconds.' };
const BOUGHT = { status: 'dispensed', remaining: 0, message: 'A candy bar was dispensed.' };
const RETRY = { max: 5, on: ['timeout', 'transport', 'http_429', 'http_5xx'], backoff_ms: 50, backoff_max_ms: 2_000 };

const dice = openDice();

/** Of ten requests six are answered. */
const MISCHIEF: readonly Conduct[] = [
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  { kind: 'cut_before' },
  { kind: 'cut_after' },
  { kind: 'delay', delay_ms: 300 },
];
const misbehave = (more: readonly Conduct[] = []) => {
  const choices = [...MISCHIEF, ...more];
  return (): Conduct => choices[dice.below(choices.length * 2)] ?? { kind: 'pass' };
};

const withRetry: Edit = (source) => ({ ...source, retry: RETRY });

/** The machine deduplicates, and its tool may be called again; nobody says that of the fountain. */
const withRepeatable: Edit = (workflow) => ({
  ...workflow,
  nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) => ({
    ...node,
    available_tools: (node['available_tools'] as readonly JsonObject[]).map((tool) =>
      tool['name'] === 'buy_candy' ? { ...tool, repeatable: true } : tool,
    ),
  })),
});

interface Scene {
  readonly machine: DeedService;
  readonly fountain: DeedService;
  readonly fronts: readonly UnreliableService[];
  modelUrl: string;
}

async function openScene(): Promise<Scene> {
  const [machine, fountain] = await Promise.all([startDeedService(BOUGHT, true), startDeedService(DRUNK, false)]);
  const scene: { modelUrl: string } = { modelUrl: '' };
  const fronts = await Promise.all([
    startUnreliableService(() => machine.url),
    startUnreliableService(() => fountain.url),
    startUnreliableService(() => scene.modelUrl),
  ]);
  return Object.assign(scene, { machine, fountain, fronts });
}

interface Doubt {
  readonly attempt_id: string;
  readonly call: string;
}

const DOUBTS = `
  SELECT attempts.attempt_id, source_invocation_id AS call
  FROM worlds JOIN attempts ON attempts.world_slug = worlds.world_slug
      AND attempts.attempt_id = worlds.adoptable_attempt_id
    JOIN source_invocations AS calls ON calls.world_slug = attempts.world_slug AND calls.attempt_id = attempts.attempt_id
  WHERE effect_class <> 'read_only' AND NOT repeatable AND (calls.status = 'interrupted' OR outcome_unknown)
    AND NOT EXISTS (
      SELECT FROM call_settlements AS settled WHERE settled.source_invocation_id = calls.source_invocation_id)`;

/** Decides about each call in doubt as a person does who looks into the fountain's own book. */
async function settleDoubts({ engine, outside }: ParkStage, { fountain }: Scene): Promise<number> {
  assert.ok(outside);
  const doubts = await outside.query<Doubt>(DOUBTS);
  for (const { attempt_id, call } of doubts) {
    const answer = fountain.correlations.has(call) ? { answer: DRUNK } : {};
    must(await settleCall(engine, { attempt_id, source_invocation_id: call, ...answer }));
  }
  return doubts.length;
}

/** Each deed of the turns of some worlds, by its client request id, once. */
function expectedOf(worlds: readonly string[], turns: ReadonlyMap<string, number>, remainder: number) {
  const ids = worlds.flatMap((world) =>
    Array.from({ length: turns.get(world) ?? 0 }, (_none, index) => index + 1)
      .filter((turn) => turn % 3 === remainder)
      .map((turn) => `${world}/turn-${turn}/bob/act/round-1/try-1/tool`),
  );
  return Object.fromEntries(ids.map((id) => [id, 1]));
}

describe('services that fail (PostgreSQL)', () => {
  const opening = openScene();
  let scene: Scene | undefined;
  after(async () => {
    const { machine, fountain, fronts } = await opening;
    await Promise.all([machine, fountain, ...fronts].map((service) => service.close()));
  });

  const openStage = sharedStage('PostgreSQL', (here) => {
    assert.ok(scene);
    scene.modelUrl = here['CHUKWA_LLM_BASE_URL']?.replace(/\/v1$/, '') ?? '';
    const [machine, fountain, model] = scene.fronts;
    return {
      CHUKWA_TOY_VENDING_URL: machine?.url ?? '',
      CHUKWA_TOY_FOUNTAIN_URL: fountain?.url ?? '',
      CHUKWA_LLM_BASE_URL: `${model?.url}/v1`,
    };
  });

  test(`a fleet whose services cut, delay, refuse and repeat does each side effect once (seed ${dice.seed})`, {
    timeout: extent(300_000, 840_000),
  }, async (context) => {
    scene = await opening;
    const stage = await openStage();
    stage.model.setScript(SCRIPT);
    const running = new Set<Running>();
    context.after(() => running.forEach((worker) => worker.kill('SIGKILL')));
    const workflows = await editWorkflows(context, {
      'sources/vending-machine.json': withRetry,
      'sources/drinking-fountain.json': withRetry,
      'sources/chat.json': withRetry,
      'tools/workflow.json': withRepeatable,
    });
    const worlds: string[] = [];
    for (let made = 0; made < WORLDS; made += 1)
      worlds.push((await stage.makeWorld({ scenario: 'tools', workflows })).world_slug);
    const [machine, fountain, model] = scene.fronts;
    machine?.always(misbehave([{ kind: 'repeat' }]));
    fountain?.always(misbehave());
    model?.always(misbehave());
    for (let started = 0; started < WORKERS; started += 1)
      running.add(startChukwa(['worker', '--lease', '5', '--max-retries', '1000', '--json'], stage.variables));
    const until = Date.now() + MINUTES * 60_000;
    let settled = 0;
    do {
      for (const world_slug of worlds) must(await queueTurns(stage.engine, { world_slug, turns: TURNS }));
      while ((await stage.engine.store.inbox.count()).length > 0) {
        settled += await settleDoubts(stage, scene);
        await wait(200);
      }
    } while (Date.now() < until);
    for (const worker of running) {
      worker.kill('SIGTERM');
      assert.equal((await worker.ended).code, 0);
      running.delete(worker);
    }
    const turns = new Map<string, number>();
    for (const world of worlds) turns.set(world, (await stage.world(world)).turn);
    for (const turn of turns.values()) assert.ok(turn >= TURNS && turn % TURNS === 0, `a world stands at turn ${turn}`);
    assert.deepEqual(Object.fromEntries(scene.machine.performed), expectedOf(worlds, turns, 0));
    assert.deepEqual(Object.fromEntries(scene.fountain.performed), expectedOf(worlds, turns, 1));
    const asked = scene.fronts.map((front) => front.asked.length).join(', ');
    const done = [...turns.values()].reduce((sum, turn) => sum + turn, 0);
    context.diagnostic(
      `${done} turns; machine, fountain and model were asked ${asked} times; ${settled} doubts settled`,
    );
  });
});
