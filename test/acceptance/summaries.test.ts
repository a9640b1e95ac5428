import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { verifyWorld } from '../../engine/operations/ledger/verify.js';
import { purgeMemories } from '../../engine/operations/worlds/purge-memories.js';
import { traceText } from '../../engine/operations/worlds/trace-text.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { toStream } from '../store/record-fixtures.js';
import { leaveAt } from '../support/leave-at.js';
import { waitUntil } from '../support/wait-until.js';
import {
  type Edit,
  editWorkflows,
  loadScript,
  must,
  type ParkStage,
  type Play,
  sharedStage,
} from '../support/park-stage.js';

const WEATHER = 'source:toy_park_weather';
const ACT = 'ivy/act/round-1/try-1';
const SUMMARISE = 'ivy/summarise/round-1/try-1';

const asking = (content: string): Json => ({ messages: [{ role: 'user', content }] });

/** The clerk sums up what she remembers and what the weather is; what she does by it shows her no weather. */
const summarising: Edit = (workflow) => {
  const [sort, look_up, act] = workflow['nodes'] as readonly JsonObject[];
  const summarise = {
    ...sort,
    id: 'summarise',
    order_type: 'synthesize',
    result_schema_ref: { path: '../schemas/summary.json' },
    prompt_template: asking('{{subject.rendered}}\n{{memory.retrieved}}\n{{nodes.look_up.output}}'),
    projection: {
      scope: 'world',
      memory: { recent: 1, pinned: true, retrieve: { top: 2, query: ['Where is the coat?'] } },
    },
  };
  const acting = {
    ...act,
    prompt_template: asking('{{subject.rendered}}\n{{subject.own_turns}}'),
    projection: { scope: 'world', memory: { recent: 1 }, own_turns: 3 },
  };
  return {
    ...workflow,
    nodes: [sort, look_up, summarise, acting] as Json,
    apply: { from: 'act.final', remember: [{ from: 'summarise.output', pointer: '/summary' }] },
  };
};

const SUMMARY_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Summary',
  type: 'object',
  additionalProperties: false,
  required: ['summary'],
  properties: { summary: { type: ['string', 'null'] } },
};

/** Nothing to sum up; a summary; one of a summary; none. */
const SUMMARIES = [null, 'Bob has my coat.', 'The coat of Bob was mine.', null];
const REMEMBERED = ['I lent Bob a coat.', 'I ate.', 'I slept.', 'I woke.'];

function says(): Answers {
  const turns = REMEMBERED.map((content, index) => {
    const effects = [{ op: 'append_entity_memory', entity_id: 'ivy', content }];
    const patch = { narration: `Ivy did ${index + 1}.`, effects };
    const answers = {
      'ivy/sort/round-1/try-1': { json: { from: 'Bob', topic: 'weather', place: 'park' } },
      [SUMMARISE]: { json: { summary: SUMMARIES[index] ?? null } },
      [ACT]: { json: { kind: 'final_patch', patch } },
    };
    return [String(index + 1), answers];
  });
  return { version: 1, label: 'summaries', turns: Object.fromEntries(turns) as Answers['turns'] };
}

const VILLAGERS = ['marta', 'tom', 'ines', 'joss', 'pip'];
const VILLAGE_TURNS = 3;

/** Each villager sums up what she remembers and what she has just seen, beside what she does. */
const summingUp =
  (execution: string): Edit =>
  (workflow) => {
    const [act] = workflow['nodes'] as readonly JsonObject[];
    const summarise = {
      id: 'summarise',
      type: 'llm_json',
      order_type: 'synthesize',
      llm_source_ref: act?.['llm_source_ref'] ?? null,
      result_schema_ref: { path: '../schemas/summary.json' },
      prompt_template: asking('{{subject.rendered}}\n{{world.recent_events}}\n{{memory.retrieved}}'),
      projection: {
        scope: 'subject_environment',
        memory: { recent: 1, pinned: true, retrieve: { top: 2, query: ['{{world.recent_events}}'] } },
        events: { turns: 1 },
      },
      max_generation_attempts: 1,
      constraints: act?.['constraints'] ?? null,
    };
    return {
      ...workflow,
      execution,
      nodes: [act ?? null, summarise],
      apply: { from: 'act.final', remember: [{ from: 'summarise.output', pointer: '/summary' }] },
    };
  };

async function villageThatSumsUp(): Promise<Answers> {
  const { turns, ...script } = await loadScript('village');
  const summed = Object.entries(turns).map(([turn, answers]) => {
    const own = VILLAGERS.map((id) => {
      const summary = `In short: ${id} lived turn ${turn}, with Pip, Ines, bread and the ferry.`;
      return [`${id}/summarise/round-1/try-1`, { json: { summary } }] as const;
    });
    return [turn, { ...answers, ...Object.fromEntries(own) }] as const;
  });
  return { ...script, turns: Object.fromEntries(summed) };
}

async function writeDocuments(context: TestContext): Promise<string> {
  const folder = await editWorkflows(context, { 'clerk/workflow.json': summarising });
  await writeFile(join(folder, 'schemas/summary.json'), JSON.stringify(SUMMARY_SCHEMA));
  return folder;
}

async function memoriesOf(stage: ParkStage, world_slug: string, turn?: number) {
  const { entities } = await stage.world(world_slug, turn);
  return entities[0]?.memory ?? [];
}

/** The latest attempt at a turn. */
async function attemptOf(stage: ParkStage, world_slug: string, turn: number) {
  const attempts = await stage.engine.store.records.attempts(world_slug);
  const { attempt_id = '' } = attempts.find(({ attempted_turn }) => attempted_turn === turn) ?? {};
  return stage.engine.store.records.attempt(attempt_id);
}

/** The prompt and the retrieved memories of a call, by its key. */
async function callOf(stage: ParkStage, world_slug: string, turn: number, key: string) {
  const record = await attemptOf(stage, world_slug, turn);
  const call = record?.invocations.find(({ command_key }) => command_key === key);
  return { record, call: await stage.llmCall(call?.llm_call_id ?? null) };
}

const EXPECTED = [
  ['1.1', 'I lent Bob a coat.', undefined],
  ['2.1', 'I ate.', undefined],
  ['2.2', 'Bob has my coat.', ['1.1']],
  ['3.1', 'I slept.', undefined],
  ['3.2', 'The coat of Bob was mine.', ['1.1', '2.2']],
  ['4.1', 'I woke.', undefined],
];

describe('summaries', () => {
  const open = sharedStage('PostgreSQL');

  test('a node writes what it sums up into memory, with the ids of what it was shown', async (context) => {
    const stage = await open();
    const workflows = await writeDocuments(context);
    const { world_slug, after } = await stage.play({ scenario: 'clerk', workflows, says: says(), turns: 2 });
    // Another driver finishes the third turn from the record.
    assert.equal((await leaveAt(stage, after, ACT)).kind, 'handed_over');
    await stage.run(after, { turns: 2 });
    const memories = await memoriesOf(stage, world_slug);
    assert.deepEqual(
      memories.map(({ memory_id, content, sources }) => [memory_id, content, sources]),
      EXPECTED,
    );
    const { record, call } = await callOf(stage, world_slug, 3, SUMMARISE);
    // The latest memory is shown as such; a turn later its words find it.
    const { call: later } = await callOf(stage, world_slug, 4, SUMMARISE);
    const [own, summary] = record?.patches ?? [];
    assert.equal(own?.effects[0]?.sources, null);
    assert.deepEqual(
      [summary?.workflow_node_id, summary?.llm_call_id, summary?.effects[0]?.sources, summary?.narration],
      ['summarise', call.llm_call_id, ['1.1', '2.2'], ''],
    );
    assert.ok(summary?.origins?.includes(WEATHER));
    assert.deepEqual(
      later.retrieved?.found.map(({ memory_id, sources }) => [memory_id, sources]),
      [
        ['1.1', undefined],
        ['2.2', ['1.1']],
      ],
    );
    // It is a memory, and no event: her own turns have what she did.
    const { call: acted } = await callOf(stage, world_slug, 4, ACT);
    const prompt = acted.messages[0]?.content ?? '';
    assert.match(prompt, /\[turn 3\] The coat of Bob was mine\./);
    assert.match(prompt, /\(id: ivy\): Ivy did 3\./);
    assert.doesNotMatch(prompt, /remembers: The coat of Bob|\(id: ivy\): *\n/);
    const { path } = must(await traceText(stage.engine, { world_slug, entity_id: 'ivy', text: 'Bob has my coat.' }));
    assert.deepEqual(
      path.map(({ turn, came_by }) => [turn, came_by.kind === 'patch' ? came_by.patch.sources : came_by.kind]),
      [
        [3, ['1.1']],
        [2, 'own_words'],
      ],
    );
    assert.equal(must(await verifyWorld(stage.engine, world_slug)).ok, true);
  });

  test('the next attempt at a turn that failed adopts the summary, which is remembered once, with the same sources', async (context) => {
    const stage = await open();
    const workflows = await writeDocuments(context);
    const whole = says();
    const failing = { ...whole.turns, 3: { ...whole.turns['3'], [ACT]: { status: 503 } } };
    // What she does fails once the summary is on record.
    stage.model.onRequest(async ({ world_slug: slug, turn, key }) => {
      if (turn !== 3 || key !== ACT) return;
      await waitUntil(async () => {
        const record = await attemptOf(stage, slug, turn);
        return (
          record?.invocations.some((call) => call.command_key === SUMMARISE && call.status === 'succeeded') === true
        );
      });
    });
    const { world_slug, after } = await stage.play({
      scenario: 'clerk',
      workflows,
      says: { ...whole, turns: failing },
      turns: 3,
    });
    assert.equal(after.turn, 2, 'the third turn has failed');
    const summed = (): number => stage.model.requests.filter(({ turn, key }) => turn === 3 && key === SUMMARISE).length;
    assert.equal(summed(), 1);
    stage.model.onRequest(async () => {});
    stage.model.setScript(whole);
    const next = await stage.run(after, { turns: 2 });
    assert.equal(summed(), 1, 'the summary is not paid for twice');
    const calls = next.attempts[0]?.invocations ?? [];
    assert.ok(calls.find(({ command_key }) => command_key === SUMMARISE)?.adopted_from, 'it was adopted');
    assert.deepEqual(
      (await memoriesOf(stage, world_slug)).map(({ memory_id, content, sources }) => [memory_id, content, sources]),
      EXPECTED,
    );
    assert.equal(must(await verifyWorld(stage.engine, world_slug)).ok, true);
  });

  test('villagers who think at once remember what they would in order, each once and with the same sources', async (context) => {
    const stage = await open();
    const played = async (execution: string) => {
      const edit = summingUp(execution);
      const workflows = await editWorkflows(context, {
        'village/mill-workflow.json': edit,
        'village/square-workflow.json': edit,
        'village/runner-workflow.json': edit,
      });
      await writeFile(join(workflows, 'schemas/summary.json'), JSON.stringify(SUMMARY_SCHEMA));
      stage.toys.reset();
      return stage.play({ scenario: 'village', workflows, says: await villageThatSumsUp(), turns: VILLAGE_TURNS });
    };
    const remembered = ({ after: { entities } }: Play) =>
      entities.map(
        ({ id, memory }) =>
          [id, memory.map(({ memory_id, content, sources }) => [memory_id, content, sources])] as const,
      );
    const inOrder = await played('per_subject_ordered');
    const atOnce = await played('per_subject_concurrent');
    assert.deepEqual(remembered(atOnce), remembered(inOrder));
    for (const [id, memory] of remembered(atOnce)) {
      const summaries = memory.filter(([, content]) => String(content).startsWith('In short: '));
      assert.equal(summaries.length, VILLAGERS.includes(id) ? VILLAGE_TURNS : 0, id);
      assert.ok(summaries.every(([, , sources]) => sources !== undefined));
    }
    const superseded = atOnce.attempts.flatMap(({ invocations }) => invocations.filter((call) => call.is_superseded));
    assert.ok(
      superseded.some(({ command_key }) => command_key.includes('/summarise/')),
      'a summary was made again',
    );
    assert.equal(must(await verifyWorld(stage.engine, atOnce.world_slug)).ok, true);
  });

  test('a file and a fork keep the sources, and a purge by origin takes a summary of it', async (context) => {
    const stage = await open();
    const workflows = await writeDocuments(context);
    const { world_slug } = await stage.play({ scenario: 'clerk', workflows, says: says(), turns: 3 });
    const lived = await memoriesOf(stage, world_slug);
    const { transfer, worlds } = stage.engine.store;
    const lines: string[] = [];
    await transfer.export([world_slug], async (line) => void lines.push(line));
    assert.equal((await worlds.delete(world_slug)).kind, 'deleted');
    assert.equal((await transfer.import(toStream(lines), () => undefined)).kind, 'imported');
    assert.deepEqual(await memoriesOf(stage, world_slug), lived);
    const fork = `${world_slug}-fork`;
    must(await forkWorld(stage.engine, { source_slug: world_slug, at_turn: 2, world_slug: fork }));
    assert.deepEqual(
      (await memoriesOf(stage, fork)).map(({ memory_id, content, sources }) => [memory_id, content, sources]),
      EXPECTED.slice(0, 3),
    );
    assert.match(must(await purgeMemories(stage.engine, fork, WEATHER)).message, /^Purged 1 memory of /);
    const left = (await memoriesOf(stage, fork)).map(({ content }) => content);
    assert.deepEqual(left, ['I lent Bob a coat.', 'I ate.']);
    assert.deepEqual(await memoriesOf(stage, world_slug), lived);
    for (const slug of [world_slug, fork]) assert.equal(must(await verifyWorld(stage.engine, slug)).ok, true);
  });
});
