import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { showCost } from '../../engine/operations/costs/costs.js';
import { estimateRun } from '../../engine/operations/costs/estimate.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { Answer } from '../../engine/generated/answers.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { editWorkflows, loadScript, must, sharedStage } from '../support/park-stage.js';
import { readAll } from '../support/server-sent-events.js';
import { TOKENS } from '../support/served-park.js';
import { runHere, startChukwa, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { callAt, callsOf, keysOf, onlyAttempt, script, stateOf } from './readings.js';

const CLASSIFY = 'mara/classify/round-1/try-1';
const LOOK_UP = 'mara/tool_call/call';
const FIRST = 'mara/synthesize/round-1/try-1';
const SECOND = 'mara/synthesize/round-1/try-2';
const gateOf = (judged: string, verdict_try = 1) => `${judged}/gate/try-${verdict_try}`;

/** Another model than that of its node. */
const JUDGE: JsonObject = { path: '../judge.json' };
const JUDGE_SOURCE: JsonObject = {
  version: 1,
  label: 'judge',
  interface: { name: 'llm_chat', model: 'gpt-4.1', schema_delivery: 'response_format', tool_calling: 'json_control' },
};

const says = (decision: string, reason: string): Answer => ({ json: { decision, reason } });

/** The script that ships, with other answers in some places. */
async function scriptWith(others: Readonly<Record<string, Answer>>) {
  return script({ ...(await loadScript('notice-board')).turns['1'], ...others });
}

describe('a pipeline with a gate', () => {
  const open = sharedStage('PostgreSQL');

  test('an answer that the gate sends back is not applied; the one that passes is, and each verdict is a generation on record', async () => {
    const stage = await open();
    const play = await stage.play({ scenario: 'notice-board' });
    const attempt = onlyAttempt(play);
    assert.equal(attempt.status, 'committed');
    assert.deepEqual(keysOf(attempt), [CLASSIFY, LOOK_UP, FIRST, gateOf(FIRST), SECOND, gateOf(SECOND)]);
    assert.equal(stateOf(play.after, 'notice'), '"72 degrees and sunny: warm enough for a picnic."');
    const gates = callsOf(attempt, 'quality_gate');
    assert.deepEqual(
      gates.map((gate) => [gate.model_output_kind, gate.status, gate.parent_source_invocation_id, gate.effect_class]),
      [FIRST, SECOND].map((judged, index) => [
        index === 0 ? 'gate_retry' : 'gate_pass',
        'succeeded',
        callAt(attempt, judged).source_invocation_id,
        'read_only',
      ]),
    );
    // The judged answer was completed all the same.
    assert.deepEqual(
      [callAt(attempt, FIRST).status, callAt(attempt, FIRST).model_output_kind],
      ['succeeded', 'final_patch'],
    );
    const verdict = await stage.llmCall(gates[0]?.llm_call_id ?? null);
    assert.ok((verdict.tokens?.input_tokens ?? 0) > 0);
    assert.deepEqual(verdict.artifacts.find(({ kind }) => kind === 'parsed_output')?.value, {
      decision: 'retry',
      reason: 'The facts say nothing about the week: leave the promise out.',
    });
    assert.equal(attempt.patches[0]?.source_invocation_id, callAt(attempt, SECOND).source_invocation_id);
    const [rejected] = attempt.audit.filter(({ audit_kind }) => audit_kind === 'generation_rejected');
    assert.equal(rejected?.source_invocation_id, gates[0]?.source_invocation_id);
    assert.match(rejected?.rejection ?? '', /^The quality gate asks for another answer: /);
    await assertAgentTurn(stage, attempt);
  });

  async function assertAgentTurn(stage: Awaited<ReturnType<typeof open>>, attempt: AttemptRecord): Promise<void> {
    const turn = await stage.engine.store.records.agentTurn(attempt.agent_turns[0]?.agent_turn_id ?? '');
    const keys = new Map(attempt.invocations.map((call) => [call.source_invocation_id, call.command_key]));
    assert.deepEqual(
      turn?.output_box.cards.map(({ kind, source_invocation_id }) => [kind, keys.get(source_invocation_id ?? '')]),
      [
        ['node.output', CLASSIFY],
        ['node.output', LOOK_UP],
        ['gate.verdict', gateOf(FIRST)],
        ['gate.verdict', gateOf(SECOND)],
        ['task.deliverable', SECOND],
      ],
    );
  }

  test('escalate fails the turn as escalated: nothing is applied, no retry follows, and the next turn asks anew', async () => {
    const stage = await open();
    const answers = await scriptWith({ [gateOf(FIRST)]: says('escalate', 'It promises what nobody knows.') });
    const play = await stage.play({ scenario: 'notice-board', says: answers });
    const attempt = onlyAttempt(play);
    const { status, failure_class, failure_message, failed_node_id, failed_source_invocation_id } = attempt;
    assert.deepEqual([status, failure_class, failed_node_id], ['failed', 'escalated', 'synthesize']);
    assert.equal(failed_source_invocation_id, callAt(attempt, gateOf(FIRST)).source_invocation_id);
    assert.match(failure_message ?? '', /escalates: It promises what nobody knows\./);
    assert.equal(play.report.turns[0]?.is_transient, undefined);
    assert.deepEqual([play.after.turn, stateOf(play.after, 'notice')], [0, 'blank']);
    stage.model.setScript(await loadScript('notice-board'));
    const again = onlyAttempt(await stage.run(play.after));
    assert.equal(again.status, 'committed');
    assert.deepEqual(
      again.invocations.map(({ adopted_from }) => adopted_from).filter((from) => from !== null),
      [],
    );
  });

  test('a gate that cannot be asked fails the attempt; the next one adopts the answer, and asks the gate alone again', async () => {
    const stage = await open();
    const answers = await scriptWith({ [gateOf(FIRST)]: { status: 503 } });
    const play = await stage.play({ scenario: 'notice-board', says: answers });
    const attempt = onlyAttempt(play);
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'http_status']);
    assert.equal(attempt.failed_source_invocation_id, callAt(attempt, gateOf(FIRST)).source_invocation_id);
    stage.model.setScript(await loadScript('notice-board'));
    const before = stage.model.requests.length;
    const again = onlyAttempt(await stage.run(play.after));
    assert.equal(again.status, 'committed');
    const adopted = again.invocations.flatMap((call) => (call.adopted_from === null ? [] : call.command_key));
    assert.deepEqual(adopted, [CLASSIFY, LOOK_UP, FIRST]);
    const asked = stage.model.requests.slice(before).map(({ key }) => key);
    assert.deepEqual(asked, [gateOf(FIRST), SECOND, gateOf(SECOND)]);
    // The record of the judged generation is that of the attempt before.
    const judged = callAt(attempt, FIRST).source_invocation_id;
    assert.equal(callAt(again, gateOf(FIRST)).parent_source_invocation_id, judged);
  });

  test('a gate that talks nonsense is asked again, and decides nothing until it gives a verdict', async () => {
    const stage = await open();
    const answers = await scriptWith({
      [gateOf(FIRST)]: { text: 'Looks great! {"decision":"pass"}' },
      [gateOf(FIRST, 2)]: says('approve', 'It is true.'),
      [gateOf(FIRST, 3)]: says('pass', 'It is true.'),
    });
    const attempt = onlyAttempt(await stage.play({ scenario: 'notice-board', says: answers }));
    assert.equal(attempt.status, 'committed');
    assert.deepEqual(
      callsOf(attempt, 'quality_gate').map((gate) => [gate.failure_detail, gate.model_output_kind]),
      [
        ['non_json', 'invalid'],
        ['schema_invalid', 'invalid'],
        [null, 'gate_pass'],
      ],
    );
    const never = await scriptWith(
      Object.fromEntries([1, 2, 3].map((tried) => [gateOf(FIRST, tried), says('approve', 'It is true.')])),
    );
    const failed = onlyAttempt(await stage.play({ scenario: 'notice-board', says: never }));
    assert.equal(failed.failure_class, 'generation_attempts_exhausted');
  });
});

describe('people and programs', () => {
  const open = sharedStage('PostgreSQL');

  test('see what a gate decided, and why: in run, attempt, agent-turn, llm-call, on the page and in the streams', async (context) => {
    const stage = await open();
    const attempt = onlyAttempt(await stage.play({ scenario: 'notice-board' }));
    const read = async (...words: readonly string[]): Promise<string> => {
      const ended = await runHere(words, stage.variables);
      assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
      return ended.stdout.replaceAll(/\s+/g, ' ');
    };
    const why = 'The facts say nothing about the week: leave the promise out.';
    assert.ok((await read('attempt', attempt.attempt_id)).includes(why));
    const [gate] = callsOf(attempt, 'quality_gate');
    assert.match(await read('llm-call', gate?.llm_call_id ?? ''), /gate retry/);
    const turn = await read('agent-turn', attempt.agent_turns[0]?.agent_turn_id ?? '');
    assert.match(turn, /what a gate decided .{0,60}synthesize: decision retry · reason "The facts say nothing/);

    const server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
    context.after(() => server.close(0));
    const headers = { authorization: `Bearer ${TOKENS.operator_token}` };
    const get = (path: string, accept = 'text/html') =>
      fetch(`${server.url}${path}`, { headers: { ...headers, accept } });
    const page = await (await get(`/attempts/${attempt.attempt_id}`)).text();
    assert.match(page, /gate retry/);
    assert.ok(page.includes(why));
    const { workflow_hash } = await stage.invocation(gate?.source_invocation_id ?? '');
    assert.match(await (await get(`/cognition-workflows/hash/${workflow_hash}`)).text(), /The prompt of its gate/);

    const events = await readAll(await get(`/attempts/${attempt.attempt_id}/events`, 'text/event-stream'));
    const decided = events.flatMap(({ data }) => {
      const event = JSON.parse(data) as { readonly name?: string; readonly value?: Readonly<Record<string, unknown>> };
      return event.name === 'gate_decided' ? [event.value] : [];
    });
    assert.deepEqual(
      decided.map((value) => [value?.['decision'], value?.['judged_llm_call_id']]),
      [
        ['retry', callAt(attempt, FIRST).llm_call_id],
        ['pass', callAt(attempt, SECOND).llm_call_id],
      ],
    );
    const recorded = join(await makeFolder(context), 'recorded.test.json');
    const workflows = await editWorkflows(context, {});
    const where = ['--scenario', join(workflows, 'notice-board/scenario.json'), '--root', '/'];
    await read('record', `${attempt.world_slug}@1`, ...where, '--out', recorded);
    assert.match(await read('test', recorded, '--root', '/'), /1 test passed/);
    const world = await stage.makeWorld({ scenario: 'notice-board' });
    const dry = await read('run', world.world_slug, '--dry', '--write-missing', join(workflows, 'made.json'));
    assert.match(dry, /synthesize gate .*passes: "\.\.\."/);
  });

  test('what a gate costs is shown apart from its node, and estimated by its own model', async (context) => {
    const priced = await open();
    const workflows = await editWorkflows(context, {
      'notice-board/workflow.json': (workflow) => ({
        ...workflow,
        nodes: (workflow['nodes'] as readonly JsonObject[]).map((node) =>
          'gate' in node ? { ...node, gate: { ...(node['gate'] as JsonObject), llm_source_ref: JUDGE } } : node,
        ),
      }),
    });
    await writeFile(join(workflows, 'judge.json'), JSON.stringify(JUDGE_SOURCE));
    const { world_slug } = await priced.makeWorld({ scenario: 'notice-board', workflows });
    const before = must(await estimateRun(priced.engine, { world_slug, turns: 1 }));
    assert.deepEqual(new Set(before.models), new Set(['gpt-4.1', 'gpt-4.1-mini']));
    assert.equal(before.least.calls, 3);
    priced.model.setScript(await loadScript('notice-board'));
    await priced.run(await priced.world(world_slug));
    const { groups, total } = must(await showCost(priced.engine, { world_slug, by: 'node' }));
    const calls = Object.fromEntries((groups[0]?.rows ?? []).map((row) => [row.of, row.calls]));
    assert.deepEqual(calls, { classify: 1, synthesize: 2, 'synthesize gate': 2 });
    const after = must(await estimateRun(priced.engine, { world_slug, turns: 1 }));
    assert.deepEqual([after.likely.calls, after.likely.input_tokens], [total.calls, total.input_tokens]);
  });

  test('a driver that is killed in the call of a gate is followed by one that asks the gate again, and no model', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'notice-board' });
    stage.model.setScript(await scriptWith({ [gateOf(FIRST)]: { fault: 'hang', text: '{"decision": "pa' } }));
    const asked = new Promise<void>((resolve) =>
      stage.model.onRequest(async ({ key }) => {
        if (key === gateOf(FIRST)) resolve();
      }),
    );
    const running = startChukwa(['run', world.world_slug, '--json'], stage.variables);
    await whileRunning(running, asked);
    running.kill('SIGKILL');
    await running.ended;
    stage.model.setScript(await loadScript('notice-board'));
    const before = stage.model.requests.length;
    const attempt = onlyAttempt(await stage.run(world));
    assert.deepEqual([attempt.status, attempt.take_overs], ['committed', 1]);
    const again = stage.model.requests.slice(before).map(({ key }) => key);
    assert.deepEqual(again, [gateOf(FIRST), SECOND, gateOf(SECOND)]);
    const verdicts = attempt.invocations.filter(({ command_key }) => command_key === gateOf(FIRST));
    assert.deepEqual(
      verdicts.map(({ status, performance, parent_source_invocation_id }) => [
        status,
        performance,
        parent_source_invocation_id,
      ]),
      [
        ['interrupted', 1, callAt(attempt, FIRST).source_invocation_id],
        ['succeeded', 2, callAt(attempt, FIRST).source_invocation_id],
      ],
    );
  });
});
