import { factsOfFailure, type InvocationFailureClass, listFailureEnums } from '../../contract/failure-class.js';
import type { PatchFault } from '../world/patch-operations.js';
import type { CallProgram, EffectClass, NotPerformed, RetryClass } from './program.js';

export type { AttemptFailureClass, InvocationFailureClass } from '../../contract/failure-class.js';

export type ModelContentDetail =
  | 'non_json'
  | 'schema_invalid'
  | 'unknown_tool'
  | 'policy_denied'
  | 'bad_arguments'
  | 'invalid_patch'
  | 'gate_retry'
  | PatchFault;

/** The members of a failed call that say whether it may succeed when nothing is changed. */
export interface FailedCall {
  readonly failure_class: InvocationFailureClass;
  readonly http_status?: number;
}

/** What a failure says of its call, and what follows: a failure class, or a group of HTTP statuses. */
interface FailureRow {
  readonly name: string;
  /** The call was not performed. After any other failure a side effect whose request left is in doubt. */
  readonly denies: boolean;
  /** It may pass by itself: the queue and `run --retries` try the turn again, unless the call is in doubt. */
  readonly is_transient: boolean;
  /** The name by which a source's `retry` lists it; absent where no retry follows. */
  readonly retry?: RetryClass;
}

interface StatusRow extends FailureRow {
  readonly holds: (http_status: number) => boolean;
}

const isOneOf =
  (...statuses: readonly number[]) =>
  (http_status: number) =>
    statuses.includes(http_status);

/**
 * Every status that is no success; the first row that holds it counts. A status of failure is no proof that nothing
 * happened: a server error, a gateway's answer, or a redirect after a form may follow the side effect.
 */
const STATUS_ROWS: readonly StatusRow[] = [
  { name: 'status 301, 307, 308', holds: isOneOf(301, 307, 308), denies: true, is_transient: false },
  { name: 'status 408', holds: isOneOf(408), denies: false, is_transient: true, retry: 'http_408' },
  { name: 'status 425', holds: isOneOf(425), denies: false, is_transient: true, retry: 'http_425' },
  { name: 'status 429', holds: isOneOf(429), denies: true, is_transient: true, retry: 'http_429' },
  { name: 'other 4xx', holds: (status) => status >= 400 && status <= 499, denies: true, is_transient: false },
  { name: 'status 503', holds: isOneOf(503), denies: true, is_transient: true, retry: 'http_5xx' },
  {
    name: 'other 5xx',
    holds: (status) => status >= 500 && status <= 599,
    denies: false,
    is_transient: true,
    retry: 'http_5xx',
  },
  { name: 'any other status', holds: () => true, denies: false, is_transient: false },
];

/** The row of a failure: what `retry`, the queue, `run --retries`, settling and adoption obey. */
function rowOf({ failure_class, http_status = 0 }: FailedCall): FailureRow {
  return failure_class === 'http_status'
    ? (STATUS_ROWS.find(({ holds }) => holds(http_status)) as StatusRow)
    : toRow(failure_class);
}

function toRow(failure_class: InvocationFailureClass): FailureRow {
  const { denies = false, is_transient = false } = factsOfFailure(failure_class);
  return {
    name: failure_class,
    denies,
    is_transient,
    ...(isRetryClass(failure_class) ? { retry: failure_class } : {}),
  };
}

function isRetryClass(failure_class: InvocationFailureClass): failure_class is RetryClass & InvocationFailureClass {
  return failure_class === 'timeout' || failure_class === 'transport' || failure_class === 'unavailable';
}

/** The whole table, for the page that shows it: the statuses, then the classes of calls that were made. */
export function listFailures(): readonly FailureRow[] {
  const { plugin_class = [] } = listFailureEnums();
  const classes = [...plugin_class, 'redaction_failed', 'stopped', 'interrupted'] as readonly InvocationFailureClass[];
  return [...STATUS_ROWS, ...classes.filter((name) => name !== 'http_status').map(toRow)];
}

/**
 * Whether a call that was made failed for something that may pass by itself, so that it may succeed later. One that was
 * refused before it was made waits for its operator: a variable is not set, or a plugin is missing.
 */
export function isTransient(failed: FailedCall): boolean {
  return rowOf(failed).is_transient;
}

/** Whether a failure says that the call was not performed. */
export function deniesCall(failed: FailedCall): boolean {
  return rowOf(failed).denies;
}

/** The name by which a source's `retry` lists a failure; undefined for one that no `retry` can list. */
export function retryClassOf(failed: FailedCall): RetryClass | undefined {
  return rowOf(failed).retry;
}

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
 * Whether a failure leaves open that the call was performed: a request was sent, and nobody said that it was not
 * performed. An unusable answer is such a case too, because its call was most likely performed.
 * @param sent a byte of the call may have left
 */
export function leavesOpen(
  failed: FailedCall,
  sent: boolean,
  { not_performed_on = NONE }: Pick<CallProgram, 'not_performed_on'>,
): boolean {
  return sent && !rowOf(failed).denies && !namesOf(failed).some((name) => not_performed_on.has(name));
}

const NONE: ReadonlySet<NotPerformed> = new Set();

/** The names under which a binding may say that its service's failure means that nothing happened. */
function namesOf({ failure_class, http_status = 0 }: FailedCall): readonly NotPerformed[] {
  if (failure_class !== 'http_status') return [failure_class as NotPerformed];
  const exact = `http_${http_status}` as NotPerformed;
  return http_status >= 500 && http_status <= 599 ? [exact, 'http_5xx'] : [exact];
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
