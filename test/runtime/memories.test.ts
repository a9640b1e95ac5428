import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { forkWorld } from '../../engine/operations/fork-world.js';
import { loadScenario } from '../../engine/operations/load-program.js';
import { traceText } from '../../engine/operations/trace-text.js';
import { timeAt } from '../../engine/operations/worlds.js';
import type { LlmCallRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { type Edit, editWorkflows, must, onEachDatabase, type ParkStage } from '../support/park-stage.js';

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

/** Drives the next turn of a world, and leaves it to another driver once the start of this call is on record. */
async function leaveAt({ engine }: ParkStage, { world_slug, scenario_hash }: WorldSnapshot, key: string) {
  const { program, scenario } = must(await loadScenario(engine, scenario_hash));
  const leave = new AbortController();
  const end = await runAttempt(engine.runtime, {
    world_slug,
    program,
    simulationTime: (turn) => timeAt(scenario, turn),
    signal: new AbortController().signal,
    leave: leave.signal,
    onProgress: (progress) => {
      if (progress.kind === 'call_started' && progress.command.key === key) leave.abort();
    },
  });
  assert.equal(end.kind, 'handed_over');
}

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

onEachDatabase('memories that are found', (open) => {
  test('a prompt has the recent, pinned and retrieved memories and the own turns in places of their own', async (context) => {
    const stage = await open();
    const workflows = await editWorkflows(context, { 'simple/workflow.json': remembering });
    const { world_slug, before } = await stage.play({ scenario: 'simple', workflows, says: says(), turns: 4 });
    // The driver is replaced while Bob acts by his plan: the next one finds the memories on record.
    await leaveAt(stage, before, ACT);
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
    await leaveAt(stage, before, PLAN);
    const { report } = await stage.run(before, { turns: 1 });
    assert.equal(report.turns[0]?.status, 'committed');
    assert.equal((await callsOf(stage, world_slug, 4)).get(PLAN)?.retrieved?.found.length, 2);
  });
});
