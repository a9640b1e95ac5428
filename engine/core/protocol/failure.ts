import { factsOfFailure, type InvocationFailureClass } from '../../contract/failure-class.js';
import type { PatchFault } from '../world/patch-operations.js';
import type { EffectClass } from './program.js';

export type { AttemptFailureClass, InvocationFailureClass } from '../../contract/failure-class.js';

export type ModelContentDetail =
  | 'non_json'
  | 'schema_invalid'
  | 'unknown_tool'
  | 'policy_denied'
  | 'bad_arguments'
  | 'invalid_patch'
  | PatchFault;

/** The members of a failed call that say whether it may succeed when nothing is changed. */
interface FailedCall {
  readonly failure_class: InvocationFailureClass;
  readonly http_status?: number;
}

/** HTTP statuses below 500 that ask for another try: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Whether a call that was made failed for something that may pass by itself, so that it may succeed later. One that was
 * refused before it was made waits for its operator: a variable is not set, or a plugin is missing.
 */
export function isTransient({ failure_class, http_status }: FailedCall): boolean {
  if (failure_class !== 'http_status') return factsOfFailure(failure_class).is_transient === true;
  if (http_status === undefined) return false;
  return TRANSIENT_STATUSES.has(http_status) || (http_status >= 500 && http_status <= 599);
}

/**
 * Statuses of a gateway that has passed a request on and does not know its outcome: 408, 502, 504, and 520, 522 and 524
 * of a widespread one. A service that answers 500 or 503 speaks for itself.
 */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 524]);

/** Whether a call can be made again without anything happening twice. */
export function mayRepeat({
  effect,
  repeatable,
}: {
  readonly effect: EffectClass;
  readonly repeatable: boolean;
}): boolean {
  return effect === 'read_only' || repeatable;
}

/**
 * Whether a failure leaves open that the call was performed: a request was sent, and nobody reported that the call
 * failed. An answer that cannot be used is such a case too, because its call was most likely performed; and so is a
 * gateway's answer, because the service behind it did not answer.
 * @param sent a byte of the call may have left
 */
export function leavesOpen({ failure_class, http_status = 0 }: FailedCall, sent: boolean): boolean {
  const is_gateway = failure_class === 'http_status' && GATEWAY_STATUSES.has(http_status);
  return sent && (is_gateway || factsOfFailure(failure_class).denies !== true);
}

/** Precedes the first words of the service in the message of a failed call; the call's record has all of them. */
export const IT_SAID = '; it said: ';

/** Precedes the command that shows the service's words, where redaction hides them. */
const READ_IT = '; chukwa invocation ';

/**
 * The message of a failed call without its quotation of the service, and without the hint how to read its words.
 * @param said the service's words, where there are any to be seen: else the message quotes nothing
 */
export function withoutQuotation(message: string, said: unknown): string {
  const end = message.indexOf(said === undefined ? READ_IT : IT_SAID);
  return end < 0 ? message : message.slice(0, end);
}
