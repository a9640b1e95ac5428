import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { CallStarted, Fact } from '../../engine/core/facts/fact.js';
import { writeLedger } from '../../engine/core/ledger/write-ledger.js';
import { foldOrders } from '../../engine/core/orders/fold-orders.js';
import { FIRST_STATE, toState, TRANSITIONS } from '../../engine/core/orders/transitions.js';
import type { OrderState, Tier } from '../../engine/core/orders/work-order.js';
import type { ModelOutputKind } from '../../engine/core/protocol/verdict.js';
import { smallPark } from '../support/park-documents.js';

describe('the states of a work order', () => {
  const states = Object.keys(TRANSITIONS) as readonly OrderState[];
  const permitted = new Set([
    'planned dispatched HO2',
    'planned failed HO2',
    'dispatched executing HO1',
    'executing completed HO1',
    'executing failed HO1',
  ]);
  for (const from of states)
    for (const to of states)
      for (const tier of ['HO1', 'HO2'] as const satisfies readonly Tier[])
        it(`${from} to ${to} by ${tier} is ${permitted.has(`${from} ${to} ${tier}`) ? 'permitted' : 'impossible'}`, () => {
          if (permitted.has(`${from} ${to} ${tier}`)) assert.equal(toState(from, to, tier), to);
          else assert.throws(() => toState(from, to, tier));
        });

  it('begins as planned', () => assert.equal(FIRST_STATE, 'planned'));
});

it('the order of entries is the same in every language', ({ mock }) => {
  const { orders: plan } = smallPark({});
  const [began, ...rest] = factsOf(
    [
      { key: 'bob/act/round-1/try-1aa', says: 'invalid' },
      { key: 'bob/act/round-1/try-1b', says: 'final_patch' },
    ],
    'committed',
  );
  const adopted = rest.map((fact): Fact => {
    return fact.kind === 'call_started' ? { ...fact, invocation_seq: 1, adopted_from: 'another' } : fact;
  });
  const order = () =>
    foldOrders(plan, [began as Fact, ...adopted]).chains[0]?.orders[0]?.calls.map((call) => call.start);
  const here = order();
  const danish = new Intl.Collator('da');
  mock.method(String.prototype, 'localeCompare', function compare(this: string, other: string) {
    return danish.compare(this, other);
  });
  assert.deepEqual(order(), here);
});

const HASH = '0'.repeat(64);
const momentOf = (second: number): string => `2026-05-01T09:00:${`${second}`.padStart(2, '0')}.000Z`;
const AT = momentOf(0);

/** A call that was made and ended so, in the order of the list. */
interface MadeCall {
  readonly key: string;
  readonly says: ModelOutputKind;
  readonly is_superseded?: true;
}

/** The facts of an attempt of one subject's node, `bob/act`. */
function factsOf(calls: readonly MadeCall[], end: 'committed' | 'failed'): readonly Fact[] {
  const attempt_id = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
  const began: Fact = {
    kind: 'attempt_began',
    at: AT,
    world_slug: 'small-park',
    attempt_id,
    attempted_turn: 1,
    scenario_hash: HASH,
    renderer_version: '1',
    plugin_versions: {},
  };
  const made = calls.flatMap(({ key, says, is_superseded }, index): readonly Fact[] => {
    const place = { source_invocation_id: key, at: momentOf(index) };
    const superseded: Fact = { kind: 'call_superseded', ...place };
    return [
      { kind: 'call_started', ...place, invocation_seq: index + 1, command_key: key, ...startOf(key) },
      {
        kind: 'call_ended',
        ...place,
        status: says === 'invalid' ? 'failed' : 'succeeded',
        refused: false,
        failure_class: says === 'invalid' ? 'model_content' : null,
        failure_detail: null,
        failure_message: null,
        model_output_kind: says,
        answer_hash: HASH,
        duration_ms: 1,
        input_tokens: 10,
        output_tokens: 1,
        cached_input_tokens: null,
        cache_written_input_tokens: null,
        reasoning_tokens: null,
      },
      ...(is_superseded === true ? [superseded] : []),
    ];
  });
  const at = momentOf(calls.length);
  const given = calls.findLast(({ says }) => says === 'final_patch')?.key ?? '';
  const patch = { patch_seq: 1, subject_id: 'bob', node_id: 'act', source_invocation_id: given, patch_hash: HASH };
  const ended: Fact =
    end === 'committed'
      ? { kind: 'turn_committed', at, simulation_time: '2026-05-01T09:01:00.000Z', patches: [patch] }
      : {
          kind: 'attempt_failed',
          at,
          failure_class: 'escalated',
          failure_message: 'the gate of node act escalates: no',
          subject_id: 'bob',
          node_id: 'act',
          source_invocation_id: calls.at(-1)?.key ?? null,
        };
  return [began, ...made, ended];
}

function startOf(
  key: string,
): Omit<CallStarted, 'kind' | 'at' | 'source_invocation_id' | 'invocation_seq' | 'command_key'> {
  const isGate = key.includes('/gate/');
  return {
    performance: 1,
    invocation_kind: isGate ? 'quality_gate' : 'llm_generation',
    effect_class: 'read_only',
    request_hash: HASH,
    llm_call_id: null,
    source_hash: HASH,
    workflow_hash: HASH,
    subject_id: 'bob',
    node_id: 'act',
    ambient_id: null,
    tool_name: null,
    parent_source_invocation_id: null,
    generation_try: 1,
    model: 'm',
    context_hash: HASH,
    offered_schema_hash: HASH,
    delivered_schema_hash: HASH,
    schema_delivery: 'prompt',
    endpoint_origin: null,
    adopted_from: null,
    policy_ruling: null,
    origins_hash: null,
  };
}

describe('the work orders of a node with a gate', () => {
  const { orders: plan } = smallPark({
    max_generation_attempts: 3,
    max_tool_calls: 1,
    tools: ['buy_candy'],
    subjects: ['bob', 'ant'],
    change: (workflow) => {
      const [node = {}] = workflow['nodes'] as readonly JsonObject[];
      const prompt_template = { messages: [{ role: 'user', content: 'Judge: {{gate.answer}}' }] };
      const { llm_source_ref = null } = node;
      return { ...workflow, nodes: [{ ...node, gate: { llm_source_ref, prompt_template } }] };
    },
  });
  const key = (tried: number, rest = '') => `bob/act/round-1/try-${tried}${rest}`;
  const SENT_BACK: readonly MadeCall[] = [
    { key: key(1), says: 'final_patch' },
    { key: key(1, '/gate/try-1'), says: 'invalid' },
    { key: key(1, '/gate/try-2'), says: 'gate_retry' },
    { key: key(2), says: 'invalid' },
    { key: key(3), says: 'final_patch' },
    { key: key(3, '/gate/try-1'), says: 'gate_pass' },
  ];

  const ordersOf = (facts: readonly Fact[]) =>
    foldOrders(plan, facts).chains.flatMap(({ orders }) =>
      orders.map(({ order, calls, judged }) => [
        order.wo_id.slice(-3),
        order.state,
        order.parent_wo_id?.slice(-3) ?? null,
        judged?.decision ?? null,
        calls.map(({ start }) => start.command_key.replace('bob/act/round-1/', '')).join(' '),
      ]),
    );

  it('an answer that is sent back completes its order, and the next try is an order of its own', () => {
    assert.deepEqual(ordersOf(factsOf(SENT_BACK, 'committed')), [
      ['001', 'completed', null, 'retry', 'try-1 try-1/gate/try-1 try-1/gate/try-2'],
      ['002', 'completed', '001', 'pass', 'try-2 try-3 try-3/gate/try-1'],
    ]);
    // Two rounds, each with two answers that can be sent back: the next subject's slots begin after five.
    assert.equal(plan.subjects[1]?.nodes[0]?.first_slot, 6);
  });

  it('the chain is closed with retry, and the next one with pass; each trace is that of its own chain', () => {
    const ledger = writeLedger(plan, factsOf(SENT_BACK, 'committed'));
    const shown = ledger.map(({ event_type, wo_id, details }) => {
      const what = wo_id?.slice(-3) ?? (event_type === 'WO_QUALITY_GATE' ? JSON.stringify(details['decision']) : '');
      return `${event_type} ${what.replaceAll('"', '')}`.trim();
    });
    assert.deepEqual(shown, [
      'SESSION_BEGAN',
      'WO_PLANNED 001',
      'WO_DISPATCHED 001',
      'WO_EXECUTING 001',
      'LLM_CALL 001',
      'LLM_CALL 001',
      'LLM_CALL 001',
      'WO_COMPLETED 001',
      'WO_CHAIN_COMPLETE',
      'WO_QUALITY_GATE retry',
      'WO_PLANNED 002',
      'WO_DISPATCHED 002',
      'WO_EXECUTING 002',
      'LLM_CALL 002',
      'LLM_CALL 002',
      'LLM_CALL 002',
      'WO_COMPLETED 002',
      'WO_CHAIN_COMPLETE',
      'WO_QUALITY_GATE pass',
      'SESSION_ENDED',
    ]);
    const [retry, pass] = ledger.filter(({ event_type }) => event_type === 'WO_QUALITY_GATE');
    assert.deepEqual(
      [retry?.details['judged_by'], pass?.details['judged_by']],
      [key(1, '/gate/try-2'), key(3, '/gate/try-1')],
    );
    const again = ledger.find(({ event_type, wo_id }) => event_type === 'WO_PLANNED' && wo_id?.endsWith('002'));
    assert.equal(again?.metadata.relational.parent_event_id, retry?.entry_id);
    const contracts = ledger.flatMap(({ details }) => details['contract_id'] ?? []);
    assert.equal(new Set(contracts).size, 2, 'a gate is asked by a contract of its own');
  });

  it('escalate closes the chain, and its order stays completed', () => {
    const escalated = factsOf(
      [...SENT_BACK.slice(0, 1), { key: key(1, '/gate/try-1'), says: 'gate_escalate' }],
      'failed',
    );
    assert.deepEqual(
      ordersOf(escalated).map(([, state, , decision]) => [state, decision]),
      [['completed', 'escalate']],
    );
    const decisions = writeLedger(plan, escalated).flatMap(({ event_type, details }) =>
      event_type === 'WO_QUALITY_GATE' ? details['decision'] : [],
    );
    assert.deepEqual(decisions, ['escalate']);
  });

  it('the session ends with success where a turn was committed, and else with failure', () => {
    const ends = (['committed', 'failed'] as const).map((end) => writeLedger(plan, factsOf(SENT_BACK, end)).at(-1));
    assert.deepEqual(
      ends.map((entry) => [entry?.event_type, entry?.outcome?.status]),
      [
        ['SESSION_ENDED', 'success'],
        ['SESSION_ENDED', 'failure'],
      ],
    );
  });

  it('an order that its budget does not let through after a retry fails as planned, and names the rule', () => {
    const sent = factsOf(SENT_BACK.slice(0, 3), 'failed').map(
      (fact): Fact =>
        fact.kind === 'attempt_failed'
          ? { ...fact, failure_class: 'budget_exhausted', source_invocation_id: null }
          : fact,
    );
    assert.deepEqual(ordersOf(sent), [
      ['001', 'completed', null, 'retry', 'try-1 try-1/gate/try-1 try-1/gate/try-2'],
      ['002', 'failed', '001', null, ''],
    ]);
    const of_second = writeLedger(plan, sent).filter(({ wo_id }) => wo_id?.endsWith('002') === true);
    assert.deepEqual(
      of_second.map(({ tier, event_type }) => `${tier} ${event_type}`),
      ['HO2 WO_PLANNED', 'HO2 WO_FAILED'],
    );
    assert.equal((of_second[1]?.details['error'] as JsonObject | undefined)?.['planning_rule'], 'budget_left');
  });

  it('an order fails whose gate never gives a verdict, and says why', () => {
    const unjudged = factsOf([...SENT_BACK.slice(0, 2), { key: key(1, '/gate/try-2'), says: 'invalid' }], 'failed');
    const [performed] = foldOrders(plan, unjudged).chains.flatMap(({ orders }) => orders);
    const { state, error, output_result } = performed?.order ?? {};
    assert.deepEqual([state, error?.reason, output_result], ['failed', 'escalated', null]);
  });

  it('the verdict of a gate is that of its last call which gave one and was not superseded', () => {
    const calls: readonly MadeCall[] = [
      ...SENT_BACK.slice(0, 1),
      { key: key(1, '/gate/try-1'), says: 'gate_pass' },
      { key: key(1, '/gate/try-2'), says: 'invalid' },
      { key: key(1, '/gate/try-3'), says: 'gate_retry', is_superseded: true },
    ];
    const [performed] = foldOrders(plan, factsOf(calls, 'failed')).chains.flatMap(({ orders }) => orders);
    assert.equal(performed?.judged?.decision, 'pass');
  });

  it('a run that was superseded performed the same orders, as far as it came', () => {
    const first = SENT_BACK.slice(0, 4).map((call): MadeCall => ({ ...call, is_superseded: true }));
    const second: readonly MadeCall[] = [
      { key: key(1, '@2'), says: 'final_patch' },
      { key: key(1, '/gate/try-1@2'), says: 'gate_pass' },
    ];
    assert.deepEqual(ordersOf(factsOf([...first, ...second], 'committed')), [
      ['001', 'completed', null, 'pass', 'try-1 try-1/gate/try-1 try-1/gate/try-2 try-1@2 try-1/gate/try-1@2'],
      ['002', 'failed', '001', null, 'try-2'],
    ]);
  });
});
