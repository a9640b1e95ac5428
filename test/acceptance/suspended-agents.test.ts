import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askToStop, reportCall } from '../../engine/operations/settling/reports.js';
import type { AgentTurnRecord } from '../../engine/core/agents/agent-turn.js';
import { editWorkflows, must, type ParkStage, type Play, withDeadline, sharedStage } from '../support/park-stage.js';

const LETTERS = { scenario: 'letters' } as const;
const ANSWER = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };

describe('an agent whose tool is answered later', () => {
  const open = sharedStage('PostgreSQL');
  test('is suspended with its waiting set until the report comes, and ends the same turn', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const call = callOf(first);
    const head = await headOf(stage, first);
    assert.deepEqual(
      [head.status, head.activity, head.current_tool, head.waiting_tool_count],
      ['suspended', 'awaiting_tool_result', toolOf(first), 1],
    );
    assert.ok(head.resume_deadline !== null && head.resume_deadline > new Date().toISOString());
    const waits = await turnOf(stage, first);
    assert.deepEqual([waits.outcome, waits.agent_turn_id], [null, head.active_agent_turn_id]);
    assert.deepEqual(waitingOf(waits), [[call, false]]);
    must(await reportCall(stage.engine, call, { kind: 'answered', value: ANSWER }));
    const second = await stage.run(first.before);
    const ended = await turnOf(stage, second);
    assert.deepEqual([ended.agent_turn_id, ended.outcome], [waits.agent_turn_id, 'success']);
    assert.deepEqual(waitingOf(ended), [[call, true]]);
    assert.deepEqual(statesOf(ended), ['dispatched', 'running', 'running', 'suspended', 'running', 'running', 'idle']);
    assert.deepEqual(
      ended.execution_edges
        .filter(({ correlation_id }) => correlation_id === call)
        .map(({ primitive, edge_phase }) => `${primitive} ${edge_phase}`),
      ['tool_call request', 'report response'],
    );
    assert.equal((await headOf(stage, second)).status, 'idle');
  });

  test('does not change when it is resumed in vain, and its turn records that once', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    const before = [await headOf(stage, first), await turnOf(stage, first)];
    const again = await stage.run(first.before);
    assert.deepEqual([await headOf(stage, again), await turnOf(stage, again)], before);
  });

  test('ends its turn stopped where its suspended attempt is stopped', async () => {
    const stage = await open();
    const first = await stage.play(LETTERS);
    must(await askToStop(stage.engine, first.report.turns[0]?.attempt_id ?? ''));
    await assertEnded(stage, await stage.run(first.before), 'stopped');
  });

  test('ends its turn timed out where no answer comes in time', async (t) => {
    const stage = await open();
    const workflows = await editWorkflows(t, { 'letters/workflow.json': withDeadline(1) });
    const first = await stage.play({ ...LETTERS, workflows });
    await assertEnded(stage, await stage.run(first.before), 'timed_out');
  });
});

async function assertEnded(stage: ParkStage, play: Play, outcome: string): Promise<void> {
  const turn = await turnOf(stage, play);
  assert.equal(turn.outcome, outcome);
  const tasks = turn.events.filter(({ subject }) => subject === `evt.agent.${turn.agent_id}.task`);
  assert.deepEqual(
    tasks.map(({ payload }) => [payload['status'], payload['deliverable_card_id']]),
    [[outcome, turn.deliverable_card_id]],
  );
  assert.equal((await headOf(stage, play)).status, 'idle');
}

function callOf({ report }: Play): string {
  return report.awaited?.[0]?.source_invocation_id ?? assert.fail('nothing is awaited');
}

function toolOf({ attempts }: Play): string | null | undefined {
  return attempts[0]?.invocations.find(({ tool_name }) => tool_name !== null)?.tool_name;
}

async function headOf(stage: ParkStage, { world_slug }: Play) {
  const heads = await stage.engine.store.records.agents(world_slug);
  return heads.find(({ agent_id }) => agent_id === 'nora') ?? assert.fail('there is no head');
}

async function turnOf(stage: ParkStage, { attempts }: Play): Promise<AgentTurnRecord> {
  const id = attempts.at(-1)?.agent_turns[0]?.agent_turn_id ?? '';
  return (await stage.engine.store.records.agentTurn(id)) ?? assert.fail('there is no agent turn');
}

function waitingOf({ waiting_tools }: AgentTurnRecord): readonly (readonly [string, boolean])[] {
  return waiting_tools.map(({ tool_call_id, received_at }) => [tool_call_id, received_at !== null]);
}

function statesOf({ agent_id, events }: AgentTurnRecord): readonly unknown[] {
  return events
    .filter(({ subject }) => subject === `evt.agent.${agent_id}.state`)
    .map(({ payload }) => payload['status']);
}
