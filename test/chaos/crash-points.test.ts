import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import type { AgentTurnRecord, CardRecord } from '../../engine/core/agents/agent-turn.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { Store } from '../../engine/store/open-store.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { must, type ParkStage } from '../support/park-stage.js';
import { assertNothingRuns, countEnded, withoutIds } from './aftermath.js';
import { extent } from '../support/extent.js';
import { type Arena, openArena } from './arena.js';

/** The turn that dies: three readings, six generations, two tools that change something. */
const TURN = 3;
const SIDE_EFFECTS = ['/buy_candy', '/drink', '/send'] as const;

/** The remains of a turn in the database and at the services, without the parts that differ from run to run. */
interface Aftermath {
  readonly world: Pick<WorldSnapshot, 'turn' | 'environments' | 'entities'>;
  readonly patches: unknown;
  readonly audit: readonly string[];
  /** How often each call was performed to its end. */
  readonly ended: Readonly<Record<string, number>>;
  readonly served: Readonly<Record<string, number>>;
  /** The result of each agent's turn, and its cards. */
  readonly agents: readonly unknown[];
}

interface Death {
  readonly aftermath: Aftermath;
  readonly attempt: AttemptRecord;
  readonly attempts: number;
  readonly steps: number;
}

/** Plays a fresh park to the turn before, then that turn by drivers that die, each after so many steps, and one that lives. */
async function playDying(arena: Arena, lives: readonly number[]): Promise<Death> {
  const world_slug = await arena.makeWorld('park');
  await arena.play(world_slug, Infinity, TURN - 1);
  const before = countServed(arena.stage);
  let steps = 0;
  for (const life of [...lives, Infinity]) {
    ({ steps } = await arena.play(world_slug, life));
    const { records } = arena.freshStore();
    const latest = (await records.attempts(world_slug)).at(-1);
    if (latest?.status !== 'running') break;
    await assertAgentsAreAtWork(records, latest.attempt_id);
  }
  return { ...(await look(arena, world_slug, before)), steps };
}

function countServed({ toys }: ParkStage): Readonly<Record<string, number>> {
  const paths = [toys.vending, toys.fountain, toys.phone].flatMap(({ served }) => served.map(({ path }) => path));
  return Object.fromEntries(SIDE_EFFECTS.map((effect) => [effect, paths.filter((path) => path === effect).length]));
}

async function look(
  arena: Arena,
  world_slug: string,
  before: Readonly<Record<string, number>>,
): Promise<Omit<Death, 'steps'>> {
  const store = arena.freshStore();
  const summaries = await store.records.attempts(world_slug);
  const attempts = summaries.filter(({ attempted_turn }) => attempted_turn === TURN);
  const attempt = await store.records.attempt(attempts.at(-1)?.attempt_id ?? '');
  assert.ok(attempt);
  const { turn, environments, entities } = must(await showWorld(arena.freshEngine(), { world_slug }));
  await assertNothingRuns(arena, world_slug);
  await assertAgentsAreDone(arena, world_slug);
  return {
    attempts: attempts.length,
    attempt,
    aftermath: {
      world: { turn, environments, entities },
      patches: withoutIds(attempt.patches),
      audit: attempt.audit.map(
        ({ audit_kind, workflow_subject_entity_id }) => `${audit_kind} ${workflow_subject_entity_id}`,
      ),
      ended: countEnded(attempt),
      agents: await Promise.all(attempt.agent_turns.map((turn) => lookAtTurn(store, attempt, turn.agent_turn_id))),
      served: Object.fromEntries(
        Object.entries(countServed(arena.stage)).map(([name, count]) => [name, count - (before[name] ?? 0)]),
      ),
    },
  };
}

/** An agent turn without what differs from run to run. */
async function lookAtTurn(store: Store, attempt: AttemptRecord, agent_turn_id: string): Promise<unknown> {
  const turn = await store.records.agentTurn(agent_turn_id);
  assert.ok(turn);
  const tasks = turn.events.filter(({ subject }) => subject === `evt.agent.${turn.agent_id}.task`);
  assert.equal(tasks.length, 1, `${turn.agent_id} says ${tasks.length} times that its turn is over`);
  assert.equal(tasks[0]?.payload['deliverable_card_id'], turn.deliverable_card_id);
  const deliverable = turn.output_box.cards.at(-1);
  assert.equal(deliverable?.card_id, turn.deliverable_card_id);
  assertTimes(turn, attempt);
  const take_overs = turn.turn_epoch - TURN;
  assert.ok(take_overs >= 0 && take_overs <= attempt.take_overs, `the epoch of ${turn.agent_id} is ${turn.turn_epoch}`);
  const keys = new Map(attempt.invocations.map((call) => [call.source_invocation_id, call.command_key]));
  const toPointer = ({ kind, source_invocation_id, patch_seq, content }: CardRecord) =>
    [kind, keys.get(source_invocation_id ?? ''), patch_seq, content] as const;
  return {
    agent_id: turn.agent_id,
    outcome: turn.outcome,
    given: turn.context_box?.cards.map(toPointer),
    left: toPointer(deliverable ?? assert.fail()),
    did: turn.output_box.cards.map(toPointer),
    said: turn.events.map(({ subject, payload }) => [
      subject,
      payload['status'],
      payload['phase'],
      payload['metadata'],
    ]),
    edges: turn.execution_edges.map(({ primitive, edge_phase, correlation_id }) => [
      primitive,
      edge_phase,
      keys.get(correlation_id),
    ]),
  };
}

/** An agent's event has the time at which its call ended. */
function assertTimes({ events, began_at, ended_at }: AgentTurnRecord, attempt: AttemptRecord): void {
  const times = events.map(({ occurred_at }) => occurred_at);
  assert.deepEqual(times, times.toSorted(), 'events are out of order');
  assert.deepEqual([times[0], times.at(-1)], [began_at, ended_at]);
  const ends = attempt.timeline.filter(({ event_kind }) => /^call_(answered|failed|interrupted)$/.test(event_kind));
  const ended = new Map(ends.map((end) => [end.source_invocation_id, end.occurred_at]));
  for (const { payload, occurred_at } of events) {
    if (payload['phase'] === 'tool_result' || payload['phase'] === 'answered')
      assert.equal(occurred_at, ended.get(payload['step_id'] as string), `the time of ${payload['phase']}`);
  }
}

/** Wherever a driver died, an agent has a turn once it has a call, and that turn is open. */
async function assertAgentsAreAtWork(records: Store['records'], attempt_id: string): Promise<void> {
  const { agent_turns, invocations } = (await records.attempt(attempt_id)) ?? assert.fail();
  const subjects = new Set(invocations.flatMap(({ workflow_subject_entity_id: id }) => (id === null ? [] : [id])));
  assert.deepEqual(
    agent_turns.map(({ agent_id, outcome }) => [agent_id, outcome]),
    [...subjects].map((agent_id) => [agent_id, null]),
  );
}

async function assertAgentsAreDone({ database, freshStore }: Arena, world_slug: string): Promise<void> {
  for (const { status, activity, current_tool } of await freshStore().records.agents(world_slug))
    assert.deepEqual([status, activity, current_tool], ['idle', null, null]);
  const [row] = await database.outside.query<{ readonly left: number }>(
    `SELECT (SELECT count(*) FROM agent_state_heads WHERE world_slug = $1 AND status <> 'idle')::int
       + (SELECT count(*) FROM agent_inbox WHERE world_slug = $1 AND status <> 'consumed')::int AS left`,
    [world_slug],
  );
  assert.equal(row?.left, 0, 'an agent is left with a turn');
}

/** The attempt stopped at a call of which nobody knows whether it took effect, and the world stayed. */
function assertInDoubt(death: Death, undisturbed: Death, where: string): void {
  const { attempt, aftermath } = death;
  assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'interrupted'], where);
  const call = attempt.invocations.find(
    ({ source_invocation_id }) => source_invocation_id === attempt.failed_source_invocation_id,
  );
  assert.equal(call?.invocation_kind, 'model_elected_tool', where);
  assert.equal(aftermath.world.turn, TURN - 1, where);
  for (const [key, times] of Object.entries(aftermath.ended))
    assert.ok(times <= (undisturbed.aftermath.ended[key] ?? 0), `${where}: ${key} was performed ${times} times`);
}

function assertAsUndisturbed(death: Death, undisturbed: Death, where: string): void {
  assert.equal(death.attempts, 1, where);
  assert.equal(death.attempt.status, 'committed', where);
  assert.deepEqual(death.aftermath, undisturbed.aftermath, where);
}

function check(death: Death, undisturbed: Death, where: string): 'committed' | 'in doubt' {
  for (const [name, served] of Object.entries(death.aftermath.served))
    assert.ok(served <= (undisturbed.aftermath.served[name] ?? 0), `${where}: ${name} was asked twice`);
  if (death.attempt.status === 'committed') {
    assertAsUndisturbed(death, undisturbed, where);
    return 'committed';
  }
  assertInDoubt(death, undisturbed, where);
  return 'in doubt';
}

/** How far apart the points are. */
const STRIDES = extent({ embedded: 9, PostgreSQL: 5 }, { embedded: 1, PostgreSQL: 1 });

for (const kind of ['embedded', 'PostgreSQL'] as const) {
  describe(`a driver that dies after any of its steps (${kind})`, () => {
    let arena: Promise<Arena> | undefined;
    const open = (): Promise<Arena> => (arena ??= openArena(kind));
    after(async () => (await arena)?.close());

    test('a driver that dies after any of its steps is followed by one that commits the same turn, or names the side effect that is in doubt', async () => {
      const opened = await open();
      const undisturbed = await playDying(opened, []);
      assert.equal(undisturbed.attempt.status, 'committed');
      const ends: string[] = [];
      for (let life = 1; life < undisturbed.steps; life += STRIDES[kind]) {
        const death = await playDying(opened, [life]);
        ends.push(check(death, undisturbed, `dead after step ${life} of ${undisturbed.steps}`));
      }
      // A tool's start and the answer that nobody recorded: two points of doubt for each of two tools.
      if (STRIDES[kind] === 1) assert.equal(ends.filter((end) => end === 'in doubt').length, 4);
    });

    test('a driver that dies after any of its steps and so on, however often the next one dies as well', async () => {
      const opened = await open();
      const undisturbed = await playDying(opened, []);
      for (const lives of [
        [1, 1, 1],
        [2, 3, 4, 5],
        [5, 2, 9],
        [12, 12],
        [30, 1, 2],
      ]) {
        check(await playDying(opened, lives), undisturbed, `dead after ${lives.join(', then ')} steps`);
      }
    });

    test('but not for ever: an attempt that outlives five drivers is poisoned', async () => {
      const { attempt, aftermath } = await playDying(await open(), [1, 1, 1, 1, 1, 1]);
      assert.deepEqual([attempt.status, attempt.failure_class, attempt.take_overs], ['failed', 'poisoned', 6]);
      assert.equal(aftermath.world.turn, TURN - 1);
    });
  });
}
