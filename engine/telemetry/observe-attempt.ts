import { present } from '../contract/present.js';
import type { Observe, ObservedAttempt, Progress } from '../runtime/progress.js';
import { type EndedAttempt, toAttemptSignals, toOutcome } from './attempt-signals.js';
import { toCallSignals, toInterruptedSignals } from './call-signals.js';
import { type EndedCall, stretchesOf } from './observed-call.js';
import type { Measurement, Signals } from './span.js';

interface ObservingParts {
  /** Takes what is to be exported. */
  readonly send: (signals: Signals) => void;
  readonly now: () => number;
  /** Whether prompts, answers, arguments and messages of failures are exported. */
  readonly has_contents: boolean;
}

/** The state of an attempt until it ends: the one mutable thing here. */
interface Memory {
  readonly attempt: ObservedAttempt;
  /** The models and origins of the calls under way, by their ids. */
  readonly resolved: Map<string, NonNullable<EndedCall['resolved']>>;
  began: Extract<Progress, { kind: 'attempt_began' }> | undefined;
}

/**
 * Makes spans and metrics of what drivers report. A call's span is sent when it ends, by the driver that saw it end; those of
 * nodes, agent turns and the attempt when the attempt ends, by the driver that ends it.
 */
export function createObserve(parts: ObservingParts): Observe {
  return (attempt) => {
    const memory: Memory = { attempt, resolved: new Map(), began: undefined };
    const { attempt_id } = attempt.lease;
    return {
      onProgress: (progress) => observe(parts, memory, progress),
      onRecalled: (calls) => {
        for (const recalled of calls) parts.send(toInterruptedSignals(attempt_id, recalled));
      },
    };
  };
}

function observe(parts: ObservingParts, memory: Memory, progress: Progress): void {
  switch (progress.kind) {
    case 'attempt_began':
      memory.began = progress;
      if (progress.waited_ms === undefined) return;
      return measure(parts, { instrument: 'chukwa.queue.wait', value: progress.waited_ms / 1000, attributes: {} });
    case 'call_started': {
      const { source_invocation_id, model, origin } = progress;
      return void memory.resolved.set(source_invocation_id, present({ model, origin }));
    }
    case 'call_finished':
      return endCall(parts, memory, progress);
    case 'attempt_suspended':
      return measure(parts, toOutcome(undefined, 'suspended'));
    case 'turn_committed':
      return parts.send(toAttemptSignals(toEnded(parts, memory)));
    case 'attempt_failed': {
      const { failure_class, message, subject_id } = progress.failure;
      const failure = present({ failure_class, subject_id, message: parts.has_contents ? message : undefined });
      return parts.send(toAttemptSignals({ ...toEnded(parts, memory), failure }));
    }
    case 'patch_accepted':
    case 'retry_waits':
    case 'calls_superseded':
    case 'call_pended':
    case 'approval_asked':
    case 'turn_waits':
      return;
    default:
      progress satisfies never;
  }
}

function endCall(
  { send, has_contents }: ObservingParts,
  { attempt, resolved }: Memory,
  finished: Extract<Progress, { kind: 'call_finished' }>,
): void {
  const asked = resolved.get(finished.source_invocation_id);
  resolved.delete(finished.source_invocation_id);
  const ended: EndedCall = { ...finished, ...present({ resolved: asked }) };
  send(toCallSignals({ attempt_id: attempt.lease.attempt_id, has_contents }, ended));
}

function toEnded({ now }: ObservingParts, { attempt, began }: Memory): EndedAttempt {
  const { lease, program, facts } = attempt;
  return {
    lease,
    scenario: { label: program.label, hash: program.scenario_hash },
    stretches: stretchesOf(facts),
    ended_at: now(),
    ...present({ adopts: began?.adopts?.attempt_id, waited_ms: began?.waited_ms }),
  };
}

function measure({ send }: ObservingParts, measurement: Measurement): void {
  send({ spans: [], measurements: [measurement] });
}
