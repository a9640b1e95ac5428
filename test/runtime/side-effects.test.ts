import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { reportCall } from '../../engine/operations/settling/reports.js';
import { settleCall } from '../../engine/operations/settling/settle-call.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import {
  type Edit,
  editWorkflows,
  loadScript,
  must,
  openParkStage,
  type ParkStage,
  sharedStage,
} from '../support/park-stage.js';
import { startUnreliableService } from '../support/unreliable-service.js';
import { type Fault, misbehave } from '../support/faults.js';
import { waitUntil } from '../support/wait-until.js';
import { startChukwa, startHere, whileRunning } from '../acceptance/command.js';

// A side effect is made once, whatever the fate of its call and of its attempt.

const FIRST = 'bob/act/round-1/try-1';
const SALE = `${FIRST}/tool`;
const AFTER_SALE = 'bob/act/round-2/try-1';

/** The correspondent's answer. */
const LETTER = { status: 'answered', from: 'Emil', body: 'I come.', postage: 'paid' };

interface Run {
  readonly world_slug: string;
  readonly anew?: boolean;
}

async function run({ engine }: ParkStage, request: Run) {
  const { signal } = new AbortController();
  return runTurns(engine, { ...request, turns: 1, signal, onProgress: () => {} });
}

/** The attempt at the next turn. */
async function tryTurn(stage: ParkStage, request: Run): Promise<AttemptRecord> {
  const [turn] = must(await run(stage, request)).turns;
  return (await stage.engine.store.records.attempt(turn?.attempt_id ?? '')) ?? assert.fail('no turn was tried');
}

/** The codes with which a run is refused. */
async function refusals(stage: ParkStage, request: Run): Promise<readonly string[]> {
  const refused = await run(stage, request);
  return refused.ok ? assert.fail('the run was not refused') : refused.problems.map(({ code }) => code);
}

const changeInterface =
  (change: JsonObject): Edit =>
  (source) => ({ ...source, interface: { ...(source['interface'] as JsonObject), ...change } });

/** So that an answer that never comes is given up soon. */
const IN_HASTE = changeInterface({ timeout_ms: 400 });

/** Adds a member to the binding of each side effect. */
const bindingSays =
  (member: string): Edit =>
  (workflow) =>
    JSON.parse(JSON.stringify(workflow).replaceAll('"effect":"state_change"', `"effect":"state_change",${member}`));

/** The script of the tools, with other answers in its first turn. */
async function saying(answers: Answers['turns'][string]): Promise<Answers> {
  const script = await loadScript('tools');
  return { ...script, turns: { ...script.turns, '1': { ...script.turns['1'], ...answers } } };
}

/** A world in which Bob buys a candy bar. */
async function makeWorld(stage: ParkStage, workflows: string): Promise<WorldSnapshot> {
  stage.model.setScript(await loadScript('tools'));
  return stage.makeWorld({ scenario: 'tools', workflows });
}

/** The keys of the calls that an attempt made itself, or adopted. */
function keysOf({ invocations }: AttemptRecord, which: 'made' | 'adopted'): readonly string[] {
  return invocations
    .filter(({ adopted_from }) => (adopted_from === null) === (which === 'made'))
    .map(({ command_key }) => command_key);
}

const SALES: readonly (readonly [fault: Fault, failure_class: string, is_in_doubt: boolean])[] = [
  ['reset_connection', 'transport', true],
  ['hang', 'timeout', true],
  ['non_json', 'non_json', true],
  ['schema_invalid', 'schema_invalid', true],
  ['oversized_body', 'result_too_large', true],
  ['status_500', 'http_status', true],
  ['redirect', 'http_status', false],
];

describe('a side effect', () => {
  const open = sharedStage('PostgreSQL');
  for (const [fault, failure_class, is_in_doubt] of SALES) {
    const what = is_in_doubt ? 'is in doubt, and no turn makes it again' : 'is denied, and the next turn makes it';
    test(`a side effect whose service answers with ${fault} ${what}`, async (context) => {
      const stage = await open();
      const workflows = await editWorkflows(context, { 'sources/vending-machine.json': IN_HASTE });
      const world = await makeWorld(stage, workflows);
      const { vending } = stage.toys;
      misbehave(vending, fault);
      const failed = await tryTurn(stage, world);
      assert.deepEqual([failed.status, failed.failure_class], ['failed', failure_class]);
      assert.equal(/it is unknown whether \w+ side effect took place/.test(failed.failure_message ?? ''), is_in_doubt);
      misbehave(vending);
      const served = vending.served.length;
      if (is_in_doubt) assert.deepEqual(await refusals(stage, world), ['CALL_IN_DOUBT']);
      else assert.equal((await tryTurn(stage, world)).status, 'committed');
      assert.equal(vending.served.length - served, is_in_doubt ? 0 : 1);
    });
  }

  test('a side effect that a repeatable binding asks for is made again by the next turn, under the same name', async (context) => {
    const stage = await open();
    const edits = { 'sources/vending-machine.json': IN_HASTE, 'tools/workflow.json': bindingSays('"repeatable":true') };
    const world = await makeWorld(stage, await editWorkflows(context, edits));
    misbehave(stage.toys.vending, 'reset_connection');
    assert.equal((await tryTurn(stage, world)).failure_class, 'transport');
    misbehave(stage.toys.vending);
    assert.equal((await tryTurn(stage, world)).status, 'committed');
    const names = stage.toys.vending.served.map(({ headers }) => headers['x-client-request-id']);
    assert.deepEqual(names, [names[0], names[0]]);
  });

  test('a side effect is not made again where a later call fails: the next attempt adopts it, and all before it', async (context) => {
    const stage = await open();
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    stage.model.setScript(await saying({ [AFTER_SALE]: { status: 500 } }));
    const failed = await tryTurn(stage, world);
    assert.deepEqual([failed.failure_class, failed.adopts], ['http_status', null]);
    stage.model.setScript(await loadScript('tools'));
    const asked = stage.model.requests.length;
    const attempt = await tryTurn(stage, world);
    assert.deepEqual([attempt.status, attempt.adopts], ['committed', failed.attempt_id]);
    assert.deepEqual(keysOf(attempt, 'adopted'), [FIRST, SALE]);
    assert.deepEqual(keysOf(attempt, 'made'), [AFTER_SALE]);
    assert.deepEqual([stage.toys.vending.served.length, stage.model.requests.length - asked], [1, 1]);
    const report = must(await run(stage, world));
    assert.equal(report.turns[0]?.adopts, null, 'the turn after a commit adopts something');
  });

  test('a side effect is adopted by one attempt after the other, and with the answer rejected before it', async (context) => {
    const stage = await open();
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    const [bought] = [(await loadScript('tools')).turns['1']?.[FIRST]];
    assert.ok(bought);
    const retried = { [FIRST]: { text: 'nonsense' }, 'bob/act/round-1/try-2': bought };
    const exhausted = Object.fromEntries(
      [1, 2, 3].map((number) => [`bob/act/round-2/try-${number}`, { text: 'nonsense' }]),
    );
    stage.model.setScript(await saying({ ...retried, ...exhausted }));
    const first = await tryTurn(stage, world);
    assert.equal(first.failure_class, 'generation_attempts_exhausted');
    const adopted = [FIRST, 'bob/act/round-1/try-2', 'bob/act/round-1/try-2/tool'];
    const second = await tryTurn(stage, world);
    stage.model.setScript(await saying(retried));
    const third = await tryTurn(stage, world);
    assert.deepEqual(
      [second, third].map(({ adopts }) => adopts),
      [first.attempt_id, second.attempt_id],
    );
    assert.deepEqual(
      [second, third].map((attempt) => keysOf(attempt, 'adopted')),
      [adopted, adopted],
    );
    assert.deepEqual([third.status, stage.toys.vending.served.length], ['committed', 1]);
    const numbers = third.invocations.map(({ invocation_seq }) => invocation_seq);
    assert.equal(new Set(numbers).size, numbers.length, 'two calls have one number');
    const sale = third.invocations.find(({ tool_name }) => tool_name === 'buy_candy');
    assert.deepEqual([sale?.adopted_from, sale?.command_key], [first.attempt_id, adopted[2]]);
  });

  test('a side effect that is adopted has its generation as its parent, in the tree of what its agent did as well', async (context) => {
    const stage = await open();
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    stage.model.setScript(await saying({ [AFTER_SALE]: { status: 500 } }));
    await tryTurn(stage, world);
    stage.model.setScript(await loadScript('tools'));
    const { agent_turns, invocations } = await tryTurn(stage, world);
    const shown = await stage.engine.store.records.agentTurn(agent_turns[0]?.agent_turn_id ?? '');
    const edge = shown?.execution_edges.find(({ primitive }) => primitive === 'tool_call');
    assert.equal(
      edge?.parent_step_id,
      invocations.find(({ command_key }) => command_key === FIRST)?.source_invocation_id,
    );
  });

  test('a side effect costs nothing where it is adopted: budgets of tokens count what an attempt has asked for itself', async (context) => {
    const stage = await open();
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    stage.model.setScript(await saying({ [AFTER_SALE]: { status: 500 } }));
    const failed = await tryTurn(stage, world);
    stage.model.setScript(await loadScript('tools'));
    const attempt = await tryTurn(stage, world);
    assert.deepEqual(
      [failed, attempt].map(({ source_invocation_count }) => source_invocation_count),
      [3, 1],
    );
    const tokensOf = ({ source_trace_summary }: AttemptRecord): Json =>
      (source_trace_summary as JsonObject)['input_tokens'] ?? null;
    const last = attempt.invocations.at(-1)?.llm_call_id ?? null;
    assert.equal(tokensOf(attempt), (await stage.llmCall(last)).tokens?.input_tokens);
  });

  test('a side effect whose kept report proves unusable is in doubt, and a right report settles it once', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('letters'));
    const world = await stage.makeWorld({ scenario: 'letters' });
    const suspended = await tryTurn(stage, world);
    const call = suspended.awaited[0]?.source_invocation_id ?? assert.fail('no call is awaited');
    const report = async (value: Json) => must(await reportCall(stage.engine, call, { kind: 'answered', value }));
    assert.deepEqual([(await report({ status: 7 })).accepted, (await report(LETTER)).reason], [true, 'duplicate']);
    assert.equal((await tryTurn(stage, world)).failure_class, 'schema_invalid');
    assert.deepEqual(await refusals(stage, world), ['CALL_IN_DOUBT']);
    assert.deepEqual([(await report(LETTER)).reason, (await report(LETTER)).reason], ['settled', 'duplicate']);
    const attempt = await tryTurn(stage, world);
    assert.deepEqual([attempt.status, attempt.adopts], ['committed', suspended.attempt_id]);
    assert.ok(
      keysOf(attempt, 'adopted').some((key) => key.endsWith('/tool')),
      'the letter was sent again',
    );
  });

  test('a side effect is repeated only by a turn that is begun anew, which the previous record shows', async (context) => {
    const stage = await open();
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    misbehave(stage.toys.vending, 'reset_connection');
    const failed = await tryTurn(stage, world);
    misbehave(stage.toys.vending);
    const attempt = await tryTurn(stage, { ...world, anew: true });
    assert.deepEqual([attempt.status, attempt.adopts, stage.toys.vending.served.length], ['committed', null, 2]);
    const before = await stage.engine.store.records.attempt(failed.attempt_id);
    const details = before?.audit.find(({ audit_kind }) => audit_kind === 'attempt_set_aside')?.details as JsonObject;
    assert.equal(details['begun_anew_by'], attempt.attempt_id);
    assert.deepEqual(details['in_doubt'], [failed.failed_source_invocation_id]);
    const late = await settleCall(stage.engine, { attempt_id: failed.attempt_id });
    assert.deepEqual(!late.ok && late.problems.map(({ code }) => code), ['SETTLED_TOO_LATE']);
  });
});

/** Statuses that leave open whether the service has acted, and those that say that it has not. */
const STATUSES: readonly (readonly [status: number, is_in_doubt: boolean])[] = [
  [408, true],
  [502, true],
  [504, true],
  [524, true],
  [500, true],
  [425, true],
  [302, true],
  [303, true],
  [307, false],
  [503, false],
  [429, false],
  [404, false],
];

describe('a call with a side effect that fails with a status', () => {
  const behind: { url: string } = { url: '' };
  const gateway = startUnreliableService(() => behind.url);
  after(async () => (await gateway).close());
  let url = '';
  const open = sharedStage('PostgreSQL', (here) => {
    behind.url = here['CHUKWA_TOY_VENDING_URL'] ?? '';
    return { CHUKWA_TOY_VENDING_URL: url };
  });

  for (const [status, is_in_doubt] of STATUSES) {
    test(`a call with a side effect is ${is_in_doubt ? '' : 'not '}in doubt where the answer has status ${status}`, async (context) => {
      ({ url } = await gateway);
      const stage = await open();
      const world = await makeWorld(stage, await editWorkflows(context, {}));
      (await gateway).will({ kind: 'status', status });
      const failed = await tryTurn(stage, world);
      assert.deepEqual([failed.failure_class, failed.invocations.at(-1)?.http_status], ['http_status', status]);
      assert.equal(failed.invocations.at(-1)?.outcome_unknown, is_in_doubt);
      if (is_in_doubt) assert.deepEqual(await refusals(stage, world), ['CALL_IN_DOUBT']);
      else assert.equal((await tryTurn(stage, world)).status, 'committed');
    });
  }
});

describe('a status 500 after a side effect', () => {
  const open = sharedStage('PostgreSQL');

  test('leaves nothing in doubt where the binding says that the service did not perform the call', async (context) => {
    const stage = await open();
    const edits = { 'tools/workflow.json': bindingSays('"not_performed_on":["http_5xx"]') };
    const world = await makeWorld(stage, await editWorkflows(context, edits));
    misbehave(stage.toys.vending, 'status_500');
    const failed = await tryTurn(stage, world);
    assert.equal(failed.calls_in_doubt, 0, failed.failure_message ?? '');
    misbehave(stage.toys.vending);
    assert.equal((await tryTurn(stage, world)).status, 'committed');
  });

  test('is not repeated by the worker whose queued turn made the call, until it is settled', async (context) => {
    const stage = await open();
    const { world_slug } = await makeWorld(stage, await editWorkflows(context, {}));
    must(await queueTurns(stage.engine, { world_slug, turns: 1 }));
    misbehave(stage.toys.vending, 'status_500');
    const worker = startHere(['worker', '--lease', '1', '--json'], stage.variables);
    await whileRunning(
      worker,
      waitUntil(() => worker.said().includes('"kind":"turn_deferred"')),
    );
    const [attempt] = await stage.engine.store.records.attempts(world_slug);
    assert.deepEqual([stage.toys.vending.served.length, attempt?.calls_in_doubt], [1, 1]);
    misbehave(stage.toys.vending);
    must(await settleCall(stage.engine, { attempt_id: attempt?.attempt_id ?? '' }));
    await whileRunning(
      worker,
      waitUntil(async () => (await stage.world(world_slug)).turn === 1),
    );
    worker.interrupt();
    await worker.ended;
    assert.equal(stage.toys.vending.served.length, 2);
  });
});

test('a queued turn whose driver dies in a side effect waits in its queue for the settlement, as one whose connection was cut', async (context) => {
  const stage = await openParkStage('PostgreSQL');
  context.after(stage.close);
  const { world_slug } = await makeWorld(stage, await editWorkflows(context, {}));
  must(await queueTurns(stage.engine, { world_slug, turns: 2 }));
  misbehave(stage.toys.vending, 'hang');
  const killed = startChukwa(['worker', '--lease', '1', '--json'], stage.variables);
  await waitUntil(() => stage.toys.vending.served.length === 1);
  killed.kill('SIGKILL');
  await killed.ended;
  const worker = startHere(['worker', '--lease', '1', '--json'], stage.variables);
  await whileRunning(
    worker,
    waitUntil(() => worker.said().includes('"kind":"turn_failed"')),
  );
  worker.interrupt();
  await worker.ended;
  const [queue] = await stage.engine.store.inbox.queues(world_slug);
  assert.deepEqual([queue?.queued_turns, stage.toys.vending.served.length], [2, 1], worker.said());
});

describe('a call with a side effect', () => {
  test('a call with a side effect to a service that refuses the connection is not in doubt, and the next turn makes it', async (context) => {
    const stage = await openParkStage('PostgreSQL', () => ({ CHUKWA_TOY_VENDING_URL: 'http://127.0.0.1:9' }));
    context.after(stage.close);
    const world = await makeWorld(stage, await editWorkflows(context, {}));
    for (const time of ['first', 'second']) {
      const { failure_class, failure_message, invocations } = await tryTurn(stage, world);
      assert.equal(failure_class, 'transport', time);
      assert.doesNotMatch(failure_message ?? '', /not known/);
      assert.equal(invocations.at(-1)?.outcome_unknown, false);
    }
  });
});
