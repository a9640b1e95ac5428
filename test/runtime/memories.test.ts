import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { purgeMemories } from '../../engine/operations/worlds/purge-memories.js';
import { traceText } from '../../engine/operations/worlds/trace-text.js';
import type { MemoryQuery } from '../../engine/core/world/retrieval.js';
import type { LlmCallRecord } from '../../engine/ports/records.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { leaveAt } from '../support/leave-at.js';
import { type Edit, editWorkflows, must, type ParkStage, sharedStage } from '../support/park-stage.js';

const PLAN = 'bob/plan/round-1/try-1';
const ACT = 'bob/act/round-1/try-1';

const SHOWN = ['memory.pinned', 'memory.retrieved', 'subject.own_turns', 'subject.rendered'];

/** Bob plans, with memories that are found by what he looks for, and acts by his plan. */
const remembering: Edit = (workflow) => {
  const [act] = workflow['nodes'] as readonly JsonObject[];
  assert.ok(act);
  const asking = (content: string): Json => ({ messages: [{ role: 'user', content }] });
  const plan = {
    ...act,
    id: 'plan',
    type: 'llm_json',
    order_type: 'classify',
    result_schema_ref: { path: '../schemas/note-reading.json' },
    prompt_template: asking(SHOWN.map((name) => `${name}:\n{{${name}}}`).join('\n')),
    projection: {
      scope: 'world',
      memory: {
        recent: 1,
        pinned: true,
        retrieve: { top: 1, neighbours: 1, query: ['Where is the lantern?', '{{subject.name}}'] },
      },
      own_turns: 2,
    },
  };
  const { available_tools: _, max_tool_calls: __, final_schema_ref: ___, ...planning } = plan as JsonObject;
  return {
    ...workflow,
    nodes: [planning, { ...act, prompt_template: asking('Act: {{nodes.plan.output}}') }],
  };
};

const REMEMBERED = ['I sat down.', 'I hid the lantern.', 'I slept.', 'I woke.', 'I ate.'];

function says(): Answers {
  const turns = REMEMBERED.map((content, index) => {
    const effects = [{ op: 'append_entity_memory', entity_id: 'bob', content }];
    const patch = { narration: `Bob did ${index + 1}.`, effects };
    return [String(index + 1), { [PLAN]: { json: NOTE }, [ACT]: { json: { kind: 'final_patch', patch } } }];
  });
  return { version: 1, label: 'remembering', turns: Object.fromEntries(turns) as Answers['turns'] };
}

const NOTE = { from: 'Ann', topic: 'other', place: 'park' };

/** The generations of a turn's attempt by the keys of their calls, the last of each. */
async function callsOf(stage: ParkStage, world_slug: string, turn: number): Promise<Map<string, LlmCallRecord>> {
  const attempts = await stage.engine.store.records.attempts(world_slug);
  const found = attempts.find(({ attempted_turn }) => attempted_turn === turn);
  const record = await stage.engine.store.records.attempt(found?.attempt_id ?? '');
  const calls = new Map<string, LlmCallRecord>();
  for (const { command_key, llm_call_id } of record?.invocations ?? [])
    calls.set(command_key, await stage.llmCall(llm_call_id));
  return calls;
}

function promptOf(calls: ReadonlyMap<string, LlmCallRecord>, key: string): string {
  return calls.get(key)?.messages[0]?.content ?? assert.fail(`there is no call ${key}`);
}

const EXPECTED = `memory.pinned:
- [turn 0] Somebody told me that the last chapter is the best.
memory.retrieved:
- [turn 1] I sat down.
- [turn 2] I hid the lantern.
- [turn 3] I slept.
subject.own_turns:
- [turn 3] Bob (id: bob): Bob did 3.
  - bob remembers: I slept.
- [turn 4] Bob (id: bob): Bob did 4.
  - bob remembers: I woke.
subject.rendered:
Bob (id: bob)
Goal: Read the book to the end.
Environment: park
State: sitting on the bench, a closed book on his knees
Memories, oldest first:
- [turn 4] I woke.`;

describe('memories that are found', () => {
  const open = sharedStage('PostgreSQL');

  test('a prompt has the recent, pinned and retrieved memories and the own turns in places of their own', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, { 'simple/workflow.json': remembering });
    const { world_slug, before } = await stage.play({ scenario: 'simple', workflows, says: says(), turns: 4 });
    // The driver is replaced while Bob acts by his plan: the next one finds the memories on record.
    assert.equal((await leaveAt(stage, before, ACT)).kind, 'handed_over');
    const { report } = await stage.run(before);
    assert.equal(report.turns[0]?.status, 'committed');
    const calls = await callsOf(stage, world_slug, 5);
    assert.ok(promptOf(calls, PLAN).startsWith(EXPECTED), promptOf(calls, PLAN));
    const { retrieved } = calls.get(PLAN) ?? {};
    assert.deepEqual(retrieved?.query.text, 'Where is the lantern?\nBob');
    assert.deepEqual(
      retrieved?.found.map(({ memory_id, score }) => [memory_id, score !== null]),
      [
        ['1.1', false],
        ['2.1', true],
        ['3.1', false],
      ],
    );
    assert.equal(calls.get(ACT)?.retrieved, null);
    // A fork finds the memories of its ancestor as they were, whatever followed there.
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 4, world_slug: `${world_slug}-fork` }));
    const fork = await stage.world(`${world_slug}-fork`);
    await stage.run(fork);
    const again = await callsOf(stage, fork.world_slug, 5);
    assert.equal(promptOf(again, PLAN), promptOf(calls, PLAN));
    assert.deepEqual(again.get(PLAN)?.retrieved, retrieved);
    // The record says how he came to know of it, in the fork as well.
    for (const slug of [world_slug, fork.world_slug]) {
      const pathOf = async (text: string) => {
        const { path } = must(await traceText(stage.engine, { world_slug: slug, entity_id: 'Bob', text }));
        return path.map(({ turn, agent_id, came_by }) => [turn, agent_id, came_by.kind]);
      };
      assert.deepEqual(await pathOf('I hid the lantern.'), [
        [3, 'bob', 'patch'],
        [2, 'bob', 'own_words'],
      ]);
      assert.deepEqual(await pathOf('the last chapter is the best'), [[1, 'bob', 'scenario']]);
      assert.deepEqual(await pathOf('the stone'), []);
    }
  });

  test('the next driver of an attempt that had just asked its first model retrieves the same memories again', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, { 'simple/workflow.json': remembering });
    const { world_slug, before } = await stage.play({ scenario: 'simple', workflows, says: says(), turns: 3 });
    assert.equal((await leaveAt(stage, before, PLAN)).kind, 'handed_over');
    const { report } = await stage.run(before, { turns: 1 });
    assert.equal(report.turns[0]?.status, 'committed');
    assert.equal((await callsOf(stage, world_slug, 4)).get(PLAN)?.retrieved?.found.length, 2);
  });

  test('a purge takes back what a source planted: nothing else changes anywhere, and nothing that is purged is found', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, { 'tools/workflow.json': remembering });
    const played = await stage.play({ scenario: 'tools', workflows, says: planted(), turns: 3 });
    const { world_slug } = played;
    const search = { ...LANTERN, turn: 3 };
    const find = async () => (await stage.engine.store.attempts.retrieve({ world_slug }, search)).map(toContent);
    assert.deepEqual(await find(), ['I looked for the lantern.', POISON, 'I lit the lantern as it said.']);
    const before = await allRows(stage);
    must(await purgeMemories(stage.engine, world_slug, MACHINE));
    const after = await allRows(stage);
    assert.deepEqual(after && { ...after, memory_purges: [] }, before);
    assert.equal(after?.['memory_purges']?.length ?? 1, 1);
    // What was made of the planted memory goes with it. The index keeps its words, and leads nowhere.
    assert.deepEqual(await find(), ['I looked for the lantern.']);
    assert.deepEqual(
      await stage.engine.store.attempts.retrieve(
        { world_slug },
        { ...search, text: 'machine whispered', neighbours: 1 },
      ),
      [],
    );
    // The turns until then are as they were: a fork of one finds what was found there.
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 2, world_slug: `${world_slug}-early` }));
    const early = { world_slug: `${world_slug}-early` };
    const there = await stage.engine.store.attempts.retrieve(early, { ...search, turn: 2 });
    assert.deepEqual(there.map(toContent), ['I looked for the lantern.', POISON]);
    const { report } = await stage.run(played.before);
    assert.equal(report.turns[0]?.status, 'committed');
    const calls = await callsOf(stage, world_slug, 4);
    const [plan, act] = [promptOf(calls, PLAN), promptOf(calls, ACT)];
    assert.doesNotMatch(plan + act, /whispered|as it said/);
    // The latest memory that is left is shown as the latest, and is not retrieved beside that.
    assert.match(plan, /Memories, oldest first:\n- \[turn 1\] I looked for the lantern\./);
    assert.deepEqual(calls.get(PLAN)?.retrieved?.found, []);
  });
});

const MACHINE = 'source:toy_vending_machine';
const POISON = 'The machine whispered that the lantern must be lit.';

const LANTERN: Omit<MemoryQuery, 'turn'> = {
  entity_id: 'bob',
  text: 'Where is the lantern?',
  language: 'simple',
  top: 5,
  neighbours: 0,
  skip_latest: 0,
  skip_pinned: false,
};

const toContent = ({ content }: { readonly content: string }): string => content;

/** Bob has one memory of his own, one of what a machine answered, and one that he made of that. */
function planted(): Answers {
  const buys = { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' };
  const remembers = (content?: string) => {
    const effects = content === undefined ? [] : [{ op: 'append_entity_memory', entity_id: 'bob', content }];
    return { json: { kind: 'final_patch', patch: { narration: 'Bob goes on.', effects } } };
  };
  const plans = { [PLAN]: { json: NOTE } };
  const turns = {
    '1': { ...plans, [ACT]: remembers('I looked for the lantern.') },
    '2': {
      ...plans,
      [ACT]: { json: { kind: 'tool_call', tool_call: { name: 'buy_candy', arguments: buys } } },
      'bob/act/round-2/try-1': remembers(POISON),
    },
    '3': { ...plans, [ACT]: remembers('I lit the lantern as it said.') },
    '*': { ...plans, [ACT]: remembers() },
  };
  return { version: 1, label: 'planted', turns };
}

/** Everything that the database holds, by table. */
async function allRows({ outside }: ParkStage): Promise<Readonly<Record<string, readonly string[]>>> {
  assert.ok(outside);
  const read = async (text: string) => (await outside.query<{ found: string }>(text)).map(({ found }) => found);
  const tables = await read(
    `SELECT table_name AS found FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const rows: Record<string, readonly string[]> = {};
  for (const table of tables) rows[table] = await read(`SELECT row::text AS found FROM "${table}" AS row ORDER BY 1`);
  return rows;
}
