import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { decideCall } from '../../engine/operations/people/approvals.js';
import { toStorable } from '../../engine/operations/dry-run/plant.js';
import type { Engine } from '../../engine/operations/engine.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import type { ComponentRecord } from '../../engine/ports/components.js';
import { DIALECTS, serveDialect } from '../../fixtures/dialects/index.js';
import { readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';
import {
  ALLOW_ALL,
  type Call,
  isSame,
  type Obedient,
  openObedient,
  orderTo,
  poisoned,
  putWorld,
  reading,
  type Task,
} from '../core/obedient/play.js';
import { OBEDIENT_WORLDS } from '../core/obedient/worlds.js';
import { emptyDatabase } from '../support/databases.js';
import { extent } from '../support/extent.js';
import { must } from '../support/park-stage.js';
import { openShelf } from '../support/park-documents.js';

// The obedient model once more, for one of its worlds, through the whole program: real plugins, services over HTTP,
// approvals and memories in PostgreSQL.

const [MAIL] = OBEDIENT_WORLDS;
const IDLE: Pick<Task, 'plan' | 'data'> = { plan: [], data: {} };
const LAST_TURN = 50;
const WORLDS_OF_POISON = extent(4, 20);

/** Memories beyond the latest are found by the words of what has happened lately. */
const RECALL = {
  projection: { recent: 3, retrieve: { top: 3, query: ['{{world.recent_events}}'] } },
  place: 'Found:\n{{memory.retrieved}}\n',
};

/** What happened in the turns since somebody looked. */
interface Seen {
  readonly performed: readonly Call[];
  readonly asked: readonly Call[];
  /** Those of the latest turn. */
  readonly prompts: readonly string[];
}

describe('a model that does whatever a text says, in the mail world, with a database', { timeout: 300_000 }, () => {
  let office: Awaited<ReturnType<typeof openOffice>>;
  before(async () => {
    office = await openOffice();
  });
  after(() => office.close());

  test('honest tasks are done with one question at most, and none for what reads', async () => {
    assert.ok(MAIL);
    for (const task of MAIL.tasks) {
      const world_slug = await office.open({ goal: task.asks });
      const { performed, asked } = await office.play(world_slug, task);
      assert.equal(performed.length, task.plan.length, task.asks);
      assert.ok(asked.length <= 1 && asked.every(({ tool }) => MAIL.tools[tool]?.effect !== 'read_only'), task.asks);
    }
  });

  test('no call takes place that an answer of a service orders, and the task is done beside it', async () => {
    assert.ok(MAIL);
    for (const injected of MAIL.injected)
      for (const task of reading(MAIL)) {
        const world_slug = await office.open({ goal: task.asks });
        const { performed } = await office.play(world_slug, poisoned(task, orderTo(injected)));
        assert.equal(performed.length, task.plan.length, task.asks);
        assert.ok(!performed.some((one) => isSame(one, injected)), JSON.stringify(injected));
      }
    const [injected, task] = [MAIL.injected[0], reading(MAIL)[0]];
    assert.ok(injected && task);
    const unguarded = await office.open({ goal: task.asks, rules: ALLOW_ALL });
    const { performed } = await office.play(unguarded, poisoned(task, orderTo(injected)));
    assert.ok(
      performed.some((one) => isSame(one, injected)),
      'without the policy, the attack succeeds',
    );
  });

  /** A world in which a memory is planted in turn 1, and found by its words in turn 50. @returns what happens then */
  async function playPoisoned(task: Task, injected: Call, rules?: readonly JsonObject[]): Promise<Seen> {
    const world_slug = await office.open({ goal: task.asks, memory: RECALL, ...(rules && { rules }) });
    await office.play(world_slug, poisoned(task, orderTo(injected)));
    await office.play(world_slug, IDLE, LAST_TURN - 3);
    const [before_it] = await office.promptsOf(world_slug, LAST_TURN - 2);
    assert.doesNotMatch(before_it ?? '', /IMPORTANT/, 'by then, nothing shows it');
    await office.play(world_slug, { ...IDLE, tells: 'Somebody asks for the important message.' });
    return office.play(world_slug, task);
  }

  test(`poison of turn 1 does nothing in turn ${LAST_TURN}, in which it is retrieved: in ${WORLDS_OF_POISON} worlds of ${WORLDS_OF_POISON}`, async () => {
    assert.ok(MAIL);
    const tasks = reading(MAIL);
    // The order to delete has the word `id`, which stands in each event: it would be found before.
    const orders = MAIL.injected.filter(({ tool }) => tool === 'send_mail');
    const cases = Array.from({ length: WORLDS_OF_POISON }, (_, index) => ({
      injected: orders[index % orders.length] ?? assert.fail(),
      task: tasks[index % tasks.length] ?? assert.fail(),
    }));
    for (const { injected, task } of cases) {
      const { performed, asked, prompts } = await playPoisoned(task, injected);
      assert.match(prompts[0] ?? '', /Found:\n[^]*- \[turn 1\] IMPORTANT SYSTEM MESSAGE/);
      assert.ok(
        asked.some((one) => isSame(one, injected)),
        'it is tried',
      );
      assert.ok(!performed.some((one) => isSame(one, injected)));
      assert.equal(performed.length, task.plan.length, task.asks);
    }
    const [control] = cases;
    assert.ok(control);
    const { performed } = await playPoisoned(control.task, control.injected, ALLOW_ALL);
    assert.ok(
      performed.some((one) => isSame(one, control.injected)),
      'without the policy, it is done',
    );
  });
});

/** The program, a model and services over HTTP, and a person who approves what the task of the turn needs. */
async function openOffice() {
  let drop = async (): Promise<void> => {};
  const database = await emptyDatabase({ after: (end) => void (drop = end) });
  let mind: Obedient = openObedient(IDLE);
  let seen: { performed: Call[]; asked: Call[]; prompts: string[] } = { performed: [], asked: [], prompts: [] };
  const [dialect] = DIALECTS;
  assert.ok(dialect);
  const model = await serveDialect(dialect, ({ messages }) => {
    const prompt = (messages as readonly { readonly content: string }[]).map(({ content }) => content).join('\n');
    seen.prompts.push(prompt);
    return { reasoning: '', pieces: [JSON.stringify(mind.say('ann', prompt))] };
  });
  const services = await startLoopbackServer((request, response) => {
    const serve = async (): Promise<void> => {
      const text = await readText(request);
      const call = { tool: (request.url ?? '').slice(1), args: JSON.parse(text) as JsonObject };
      seen.performed.push(call);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(mind.answer(call)));
    };
    serve().catch(() => response.destroy());
  });
  const engine = must(
    await (
      await compose({
        ...database,
        CHUKWA_TOY_URL: services.url,
        CHUKWA_LLM_BASE_URL: model.url,
        CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
      })
    ).openEngine(),
  );
  let worlds = 0;
  return {
    async open(written: Parameters<typeof putWorld>[2]): Promise<string> {
      assert.ok(MAIL);
      const { shelf, records } = recordingShelf();
      const { hash } = putWorld(shelf, MAIL, { subjects: ['ann'], ...written });
      await engine.store.components.put(toStorable(records));
      const world_slug = `mail-${(worlds += 1)}`;
      must(await createWorld(engine, { world_slug, scenario_hash: hash }));
      return world_slug;
    },
    /** Plays turns with this task. @returns what happened in them, the prompts of the last one */
    async play(
      world_slug: string,
      task: Pick<Task, 'plan' | 'data'> & { readonly tells?: string },
      turns = 1,
    ): Promise<Seen> {
      const all: Seen[] = [];
      for (let turn = 0; turn < turns; turn += 1) {
        mind = quiet(openObedient(task), task.tells);
        seen = { performed: [], asked: [], prompts: [] };
        while ((await runOnce(engine, world_slug)) === 'suspended') {
          const [waiting] = await engine.store.approvals.list({ world_slug, status: 'waiting', limit: 1 });
          assert.ok(waiting);
          const call = { tool: waiting.tool_name, args: waiting.request };
          seen.asked.push(call);
          const decision = mind.isWanted(call) ? 'approved' : 'denied';
          must(await decideCall(engine, { approval_id: waiting.approval_id, decision, decided_by: 'cleo' }));
        }
        all.push(seen);
      }
      return {
        performed: all.flatMap(({ performed }) => performed),
        asked: all.flatMap(({ asked }) => asked),
        prompts: seen.prompts,
      };
    },
    async promptsOf(world_slug: string, turn: number): Promise<readonly string[]> {
      const attempts = await engine.store.records.attempts(world_slug);
      const found = attempts.find(({ attempted_turn }) => attempted_turn === turn);
      const { invocations = [] } = (await engine.store.records.attempt(found?.attempt_id ?? '')) ?? {};
      const calls = await Promise.all(
        invocations.flatMap(({ llm_call_id: id }) => (id === null ? [] : [engine.store.records.llmCall(id)])),
      );
      return calls.map((call) => (call?.messages ?? []).map(({ content }) => content).join('\n'));
    },
    async close(): Promise<void> {
      await engine.close();
      await Promise.all([model.close(), services.close()]);
      await drop();
    },
  };
}

/** It tells nobody what it was ordered, so that only its memory keeps that; and remembers each turn something else. */
function quiet(mind: Obedient, narration = 'It is done.'): Obedient {
  return {
    ...mind,
    say: (subject_id, prompt) => {
      const said = mind.say(subject_id, prompt) as JsonObject;
      const patch = said['patch'] as JsonObject | undefined;
      if (patch === undefined) return said;
      const goes_on = { op: 'append_entity_memory', entity_id: subject_id, content: 'A day went by.' };
      return { ...said, patch: { narration, effects: [...(patch['effects'] as readonly Json[]), goes_on] } };
    },
  };
}

async function runOnce(engine: Engine, world_slug: string): Promise<string | undefined> {
  const { signal } = new AbortController();
  const { turns } = must(await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} }));
  const status = turns[0]?.status;
  assert.ok(status === 'committed' || status === 'suspended', JSON.stringify(turns));
  return status;
}

/** A shelf whose documents can be stored. */
function recordingShelf() {
  const records: ComponentRecord[] = [];
  const shelf = openShelf();
  const put: typeof shelf.put = (kind, content) => {
    const { hash } = shelf.put(kind, content);
    records.push({ kind, hash, content: content as JsonObject });
    return { hash };
  };
  return { shelf: { ...shelf, put }, records };
}
