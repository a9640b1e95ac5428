import { present } from '../../contract/present.js';
import { factsOfFailure } from '../../contract/failure-class.js';
import type { Json } from '../../contract/json.js';
import type { CallProgram } from './program.js';
import type { CallEvent, CallFailed } from './event.js';
import { leavesOpen, withoutQuotation } from './failure.js';

/** How a turn continues after a call that has failed: its model is told, its reading is absent, or its fallback is asked. */
export type PassedOn = 'told_to_model' | 'absent' | 'asked_fallback';

/**
 * Whether the turn continues after a failed call, as its binding says. After a side effect it does so only where the
 * service itself said that the call failed: a model that is told of it may make the call again, under another key.
 */
export function isPassedOn(
  { effect, on_failure, ...call }: Pick<CallProgram, 'effect' | 'on_failure' | 'not_performed_on'>,
  event: CallEvent,
): event is CallFailed {
  if (on_failure === undefined || event.kind !== 'call_failed' || event.outcome_unknown === true) return false;
  if (factsOfFailure(event.failure_class).reason_for_model === undefined) return false;
  return effect === 'read_only' || !leavesOpen(event, true, call);
}

/**
 * A model's view of a failure, in place of a tool's result. Where the service itself said that the call failed, its
 * account is a part, as far as redaction shows it. An unusable answer is no part: nobody has checked it.
 */
export function toFailureForModel({ failure_class, message, http_status, said }: CallFailed): Json {
  const { reason_for_model = message, is_told } = factsOfFailure(failure_class);
  return {
    error: {
      failure_class,
      message: failure_class === 'tool_error' ? withoutQuotation(message, said) : reason_for_model,
      ...present({ http_status, said: is_told === true ? said : undefined }),
    },
  };
}

/** The reading of a source that has failed. */
export function toAbsence({ failure_class }: CallFailed): Json {
  return { absent: { failure_class } };
}

/** The failure class of a reading that is absent. */
export function findAbsence({ on_failure }: Pick<CallProgram, 'on_failure'>, reading: Json): string | undefined {
  if (on_failure === undefined) return undefined;
  const { absent } = reading as {
    readonly absent?: { readonly failure_class?: unknown };
  };
  return typeof absent?.failure_class === 'string' ? absent.failure_class : undefined;
}
