import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../engine/contract/json.js';
import { countInput } from '../../engine/core/budget/estimate.js';
import type { Fact } from '../../engine/core/facts/fact.js';
import { writeLedger } from '../../engine/core/ledger/write-ledger.js';
import { foldOrders, sessionIdOf } from '../../engine/core/orders/fold-orders.js';
import type { PlanningRule, WorkOrder } from '../../engine/core/orders/work-order.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { Verdict } from '../../engine/core/protocol/verdict.js';
import { advance } from '../../engine/core/turn/advance.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { factsOfCalls, factsOfFailure } from '../../engine/runtime/fact-log.js';
import { compileShipped } from '../../engine/schema/compile-schema.js';
import {
  chatSource,
  readShippedSchema,
  type Shelf,
  SMALL_PARK_BEGAN,
  type SmallPark,
  smallPark,
} from '../support/park-documents.js';
import { answered, finalPatch, modelSays, setState, toolCall } from '../support/turn-player.js';

const ATTEMPT = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';
const SUBJECTS = ['bob', 'ant'];

/** One kind of node before the last, and the earlier ones that it reads. */
interface Drawn {
  readonly type: 'classify' | 'synthesize' | 'source_call';
  readonly reads: readonly boolean[];
}

const drawnArbitrary: fc.Arbitrary<Drawn> = fc.record({
  type: fc.constantFrom('classify', 'synthesize', 'source_call'),
  reads: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
});

const constraints = { token_budget: 100_000, timeout_seconds: 60 };
const MOOD: JsonObject = { type: 'object', required: ['mood'], properties: { mood: { type: 'string' } } };

function toNode(shelf: Shelf, { type, reads }: Drawn, at: number): JsonObject {
  const read = reads.slice(0, at).flatMap((isRead, other) => (isRead ? [`n${other}`] : []));
  if (type === 'source_call')
    return {
      id: `n${at}`,
      type,
      source_ref: shelf.put('response_source', { version: 1, label: 'toy', interface: { name: 'http_json' } }),
      request_template: Object.fromEntries(read.map((id) => [id, { $from: `/nodes/${id}/output` }])),
      result_schema_ref: shelf.put('json_schema', MOOD),
      effect: 'read_only',
      redaction: { allow: 'all' },
    };
  return {
    id: `n${at}`,
    type: 'llm_json',
    order_type: type,
    llm_source_ref: chatSource(shelf),
    prompt_template: {
      messages: [{ role: 'user', content: `Sort ${read.map((id) => `{{nodes.${id}.output}}`).join()}.` }],
    },
    projection: { scope: 'world', memory: { recent: 0 } },
    max_generation_attempts: 2,
    result_schema_ref: shelf.put('json_schema', MOOD),
    constraints,
  };
}

interface Scene {
  readonly nodes: readonly Drawn[];
  readonly has_gate: boolean;
  readonly session?: number;
  readonly execution: string;
}

/** A park whose subjects go through these nodes, and then act on what all of them gave. */
function toProgram({ nodes, has_gate, session, execution }: Scene): Program {
  const gate = (node: JsonObject): JsonObject => {
    const { llm_source_ref = null } = node;
    const prompt_template = { messages: [{ role: 'user', content: 'Judge: {{gate.answer}}' }] };
    return llm_source_ref === null ? node : { ...node, gate: { llm_source_ref, prompt_template } };
  };
  const change: SmallPark['change'] = (workflow) => {
    const all = workflow['nodes'] as readonly JsonObject[];
    return { ...workflow, execution, nodes: has_gate ? all.map(gate) : all };
  };
  return smallPark({
    subjects: SUBJECTS,
    tools: ['buy_candy'],
    constraints,
    prompt: `Act. ${nodes.map((_, at) => `{{nodes.n${at}.output}}`).join(' ')}`,
    projection: { scope: 'world', memory: { recent: 0 } },
    nodes_before: (shelf) => nodes.map((node, at) => toNode(shelf, node, at)),
    change,
    ...(session === undefined ? {} : { profile: { budgets: { session: { token_budget: session } } } }),
  });
}

/** What calls answer, by dice: most well, some with nonsense; a gate decides anything. */
function toEvent(command: Invoke, die: number): CallEvent {
  if (die === 0)
    return { kind: 'call_failed', key: command.key, failure_class: 'timeout', message: 'late', duration_ms: 5 };
  if (command.generation === undefined) return answered(command, { mood: 'good' });
  if (die === 1) return modelSays(command, 'nonsense', 40);
  if (command.invocation_kind === 'quality_gate') {
    const decision = { 2: 'escalate', 3: 'retry', 4: 'retry', 5: 'retry' }[die] ?? 'pass';
    return modelSays(command, { decision, reason: 'So it is.' }, 40);
  }
  if (command.node_id !== 'act') return modelSays(command, { mood: 'good' }, 40);
  return modelSays(command, die === 2 ? toolCall('buy_candy') : finalPatch([setState('bob', `state ${die}`)]), 40);
}

function startOf(command: Invoke, invocation_seq: number): readonly Fact[] {
  const { key } = command;
  const place = { source_invocation_id: key, invocation_seq, performance: 1, started_at: invocation_seq };
  return factsOfCalls({ finished: [], started: [{ ...place, command }] });
}

function endOf(event: CallEvent, verdict: Verdict | undefined): readonly Fact[] {
  const { key } = event;
  const end = { key, ended_at: 1, duration_ms: 1, validation_status: 'valid' } as const;
  const outcome =
    event.kind === 'call_answered'
      ? ({ ...end, status: 'succeeded', answer: event.value, view: event.value } as const)
      : ({ ...end, status: 'failed', failure_class: 'timeout', failure_message: 'late' } as const);
  const finish = { source_invocation_id: key, outcome, ...(verdict === undefined ? {} : { verdict }) };
  return factsOfCalls({ finished: [finish as never], started: [] });
}

/** What has to hold of an order when it is dispatched; `left` is what its session's budget has not spent. */
interface Dispatch {
  readonly order: WorkOrder;
  readonly first: Invoke;
  readonly left: number;
  readonly orders: readonly WorkOrder[];
}

const RULES: Readonly<Record<PlanningRule, (dispatch: Dispatch) => boolean>> = {
  type_known: ({ order }) => ['classify', 'tool_call', 'synthesize', 'execute'].includes(order.wo_type),
  session_active: ({ order }) => order.session_id === sessionIdOf(ATTEMPT) && order.wo_id.includes(order.session_id),
  budget_left: ({ order, first, left }) =>
    order.wo_type === 'tool_call' || (Number(order.constraints.token_budget) > 0 && countInput(first) <= left),
  contract_named: ({ order }) =>
    order.wo_type === 'tool_call' || /^PC-[0-9a-f]{16}$/.test(order.constraints.prompt_contract_id ?? ''),
  tools_named: ({ order }) => order.wo_type !== 'tool_call' || order.constraints.tools_allowed.length > 0,
  parent_completed: ({ order, orders }) =>
    [order.parent_wo_id, ...order.input_context.prior_results].every(
      (id) => id === null || orders.some(({ wo_id, state }) => wo_id === id && state === 'completed'),
    ),
};

test('every order meets the six planning rules before it is dispatched, and one that does not is never dispatched', () => {
  const scene = fc.record({
    nodes: fc.array(drawnArbitrary, { maxLength: 3 }),
    has_gate: fc.boolean(),
    session: fc.option(fc.integer({ min: 40, max: 4_000 }), { nil: undefined }),
    execution: fc.constantFrom('per_subject_ordered', 'per_subject_concurrent'),
  });
  const seen = new Set<string>();
  fc.assert(
    fc.property(scene, fc.array(fc.nat({ max: 12 }), { minLength: 8, maxLength: 30 }), (drawn, dice) => {
      const program = toProgram(drawn as Scene);
      const { scenario_hash } = program;
      const began = { world_slug: 'small-park', attempt_id: ATTEMPT, attempted_turn: 1, scenario_hash };
      const at = '2026-05-01T09:00:00.000Z';
      const facts: Fact[] = [{ kind: 'attempt_began', at, ...began, renderer_version: '1', plugin_versions: {} }];
      const ordersOf = () => foldOrders(program.orders, facts).chains.flatMap(({ orders }) => orders);
      const waiting: Invoke[] = [];
      const dispatched = new Set<string>();
      let end: TurnCommand | undefined;
      let { state, commands } = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
      for (let step = 0; ; step += 1) {
        const [session] = state.budgets.sessions;
        const left = session === undefined ? Infinity : (session.limits.tokens ?? 0) - session.spent.tokens;
        for (const command of commands) {
          if (command.kind !== 'invoke') end = command;
          else {
            waiting.push(command);
            facts.push(...startOf(command, facts.length));
            const orders = ordersOf();
            const own = orders.find(({ calls }) => calls.some(({ start }) => start.command_key === command.key));
            assert.ok(own !== undefined, command.key);
            if (dispatched.has(own.order.wo_id)) continue;
            dispatched.add(own.order.wo_id);
            const dispatch = { order: own.order, first: command, left, orders: orders.map(({ order }) => order) };
            for (const [rule, holds] of Object.entries(RULES)) assert.ok(holds(dispatch), `${rule}: ${command.key}`);
          }
        }
        const die = dice[step % dice.length] ?? 9;
        const [command] = waiting.splice(die % Math.max(1, waiting.length), 1);
        if (command === undefined) break;
        const event = toEvent(command, die);
        const next = advance(program, state, event);
        facts.push(...endOf(event, next.verdict));
        ({ state, commands } = next);
      }
      if (end?.kind !== 'fail') return;
      const call = end.call_key === undefined ? {} : { source_invocation_id: end.call_key };
      facts.push(...factsOfFailure(facts, { ended_at: 1, failure: end, agents: [], ...call }));
      const unplanned = ordersOf().filter(({ calls }) => calls.length === 0);
      seen.add(`${end.failure_class} ${unplanned.map(({ order }) => order.error?.planning_rule ?? 'no rule').join()}`);
      for (const { order } of unplanned) {
        assert.ok(!dispatched.has(order.wo_id));
        const entries = writeLedger(program.orders, facts).filter(({ wo_id }) => wo_id === order.wo_id);
        assert.deepEqual(
          entries.map(({ tier, event_type }) => `${tier} ${event_type}`),
          ['HO2 WO_PLANNED', 'HO2 WO_FAILED'],
        );
      }
    }),
    { numRuns: 200, seed: 20_261_127 },
  );
  assert.ok(seen.has('budget_exhausted budget_left'), [...seen].join('; '));
  assert.ok(seen.has('budget_exhausted '), 'a budget ends within an order, too');
});

test('no document can name another type of order, one without its tokens, or a model node that is a tool call', () => {
  const validate = compileShipped(readShippedSchema('workflow'));
  const refusalsOf = (of: JsonObject): readonly string[] => {
    const found: string[] = [];
    smallPark({
      change: (workflow) => {
        const nodes = (workflow['nodes'] as readonly JsonObject[]).map((node) => ({ ...node, ...of }));
        found.push(...validate({ ...workflow, nodes }).map(({ pointer = '' }) => pointer));
        return workflow;
      },
    });
    return found;
  };
  assert.deepEqual(refusalsOf({}), []);
  const type_known = refusalsOf({ order_type: 'dance' });
  const tools_named = refusalsOf({ order_type: 'tool_call' });
  assert.deepEqual([...type_known, ...tools_named], ['/nodes/0/order_type', '/nodes/0/order_type']);
  const budget_left = refusalsOf({ constraints: { ...constraints, token_budget: 0 } });
  assert.deepEqual(budget_left, ['/nodes/0/constraints/token_budget']);
});
