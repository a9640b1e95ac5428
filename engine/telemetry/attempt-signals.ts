import { present } from '../contract/present.js';
import { timeOfUuid, toTraceId } from '../core/content/trace-id.js';
import { agentTurnId } from '../core/agents/agent-turn.js';
import type { AttemptLease } from '../ports/attempts.js';
import type { Stretch } from './observed-call.js';
import { agentSpanId, attemptSpanId, type Measurement, nodeSpanId, type Signals, type Span } from './span.js';

/** An attempt that has ended, and the durations of its calls. */
export interface EndedAttempt {
  readonly lease: AttemptLease;
  readonly scenario: { readonly label: string; readonly hash: string };
  /** Of all its calls, those of earlier drivers included. */
  readonly stretches: readonly Stretch[];
  /** The attempt before, some calls of which answer this one's commands. */
  readonly adopts?: string;
  /** How long its turn was due before it began. */
  readonly waited_ms?: number;
  readonly ended_at: number;
  readonly failure?: { readonly failure_class: string; readonly message?: string; readonly subject_id?: string };
}

/** The spans of an attempt, its agent turns and their nodes, and their measurements. Pure. */
export function toAttemptSignals(ended: EndedAttempt): Signals {
  const agents = spread(ended.stretches, ({ subject_id }) => subject_id).map((agent) => toAgentSpan(ended, agent));
  const nodes = spread(ended.stretches, ({ subject_id, node_id }) =>
    node_id === undefined || subject_id === undefined ? undefined : `${subject_id}/${node_id}`,
  ).map((node) => toNodeSpan(ended, node));
  const attempt = toAttemptSpan(ended);
  const measurements: readonly Measurement[] = [
    ...agents.map((span) => toDuration('gen_ai.invoke_agent.duration', span)),
    toDuration('gen_ai.invoke_workflow.duration', attempt),
    toOutcome(ended.failure?.failure_class),
  ];
  return { spans: [...nodes, ...agents, attempt], measurements };
}

/** How an attempt ended, or that it rests, for the metric that counts them. */
export function toOutcome(failure_class: string | undefined, outcome?: 'suspended'): Measurement {
  const attributes = {
    'chukwa.attempt.outcome': outcome ?? (failure_class === undefined ? 'committed' : 'failed'),
    'error.type': failure_class,
  };
  return { instrument: 'chukwa.attempts', value: 1, attributes };
}

/** From the first to the last moment of those that have the same key; those without a key are left out. */
function spread(stretches: readonly Stretch[], keyOf: (stretch: Stretch) => string | undefined): readonly Stretch[] {
  const found = new Map<string, Stretch>();
  for (const stretch of stretches) {
    const key = keyOf(stretch);
    if (key === undefined) continue;
    const before = found.get(key) ?? stretch;
    const began_at = Math.min(before.began_at, stretch.began_at);
    found.set(key, { ...before, began_at, ended_at: Math.max(before.ended_at, stretch.ended_at) });
  }
  return [...found.values()];
}

function toAttemptSpan({ lease, scenario, adopts, waited_ms, ended_at, failure }: EndedAttempt): Span {
  const { attempt_id, world_slug, attempted_turn, epoch } = lease;
  return {
    trace_id: toTraceId(attempt_id),
    span_id: attemptSpanId(attempt_id),
    name: `invoke_workflow ${scenario.label}`,
    kind: 'internal',
    began_at: timeOfUuid(attempt_id),
    ended_at,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': scenario.label,
      'chukwa.attempt.id': attempt_id,
      'chukwa.attempt.outcome': failure === undefined ? 'committed' : 'failed',
      'chukwa.world': world_slug,
      'chukwa.turn': attempted_turn,
      'chukwa.epoch': epoch,
      'chukwa.scenario.hash': scenario.hash,
      'chukwa.queue.wait_ms': waited_ms,
      'error.type': failure?.failure_class,
    },
    ...present({ error: failure && present({ message: failure.message }) }),
    links: adopts === undefined ? [] : [{ trace_id: toTraceId(adopts), span_id: attemptSpanId(adopts) }],
  };
}

function toAgentSpan({ lease, failure }: EndedAttempt, { subject_id = '', began_at, ended_at }: Stretch): Span {
  const { attempt_id, world_slug, attempted_turn } = lease;
  const hasFailed = failure !== undefined && failure.subject_id === subject_id;
  return {
    trace_id: toTraceId(attempt_id),
    span_id: agentSpanId(attempt_id, subject_id),
    parent_span_id: attemptSpanId(attempt_id),
    name: `invoke_agent ${subject_id}`,
    kind: 'internal',
    began_at,
    ended_at,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': subject_id,
      'gen_ai.agent.id': `${world_slug}/${subject_id}`,
      'chukwa.agent_turn.id': agentTurnId(attempt_id, subject_id),
      'chukwa.turn': attempted_turn,
      'error.type': hasFailed ? failure.failure_class : undefined,
    },
    ...(hasFailed ? { error: {} } : {}),
    links: [],
  };
}

function toNodeSpan({ lease }: EndedAttempt, { subject_id = '', node_id = '', began_at, ended_at }: Stretch): Span {
  const { attempt_id } = lease;
  return {
    trace_id: toTraceId(attempt_id),
    span_id: nodeSpanId(attempt_id, subject_id, node_id),
    parent_span_id: agentSpanId(attempt_id, subject_id),
    name: `node ${node_id}`,
    kind: 'internal',
    began_at,
    ended_at,
    attributes: { 'chukwa.node.id': node_id, 'gen_ai.agent.name': subject_id },
    links: [],
  };
}

function toDuration(
  instrument: 'gen_ai.invoke_agent.duration' | 'gen_ai.invoke_workflow.duration',
  { attributes, began_at, ended_at }: Span,
): Measurement {
  const said = ['gen_ai.operation.name', 'gen_ai.agent.name', 'gen_ai.workflow.name', 'error.type'] as const;
  const kept = Object.fromEntries(said.map((name) => [name, attributes[name]]));
  return { instrument, value: Math.max(0, ended_at - began_at) / 1000, attributes: kept };
}
