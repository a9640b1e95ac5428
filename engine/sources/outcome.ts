import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import { canonicalText } from '../core/content/canonical.js';
import { viewFailureBody } from '../core/content/failure-body.js';
import { IT_SAID, leavesOpen, mayRepeat } from '../core/protocol/failure.js';
import type { CallEnd, CallOutcome, CallPended, CallResult } from '../ports/sources.js';
import { hiddenAnswer } from './hidden-answer.js';
import {
  type Halt,
  isHalt,
  isPause,
  isUnapproved,
  type Passage,
  type Pause,
  type Shown,
  type Unapproved,
} from './passage.js';
import { readWait } from './told-wait.js';
import { shorten } from '../core/content/shorten.js';
import { toStorableText } from '../core/content/i-json.js';

const MESSAGE_LENGTH_MAX = 4_000;

/** Ends the message of a call that may have had its side effect, though it failed. */
const DOUBT = '; it is unknown whether its side effect took place';

export function toCallOutcome(end: Shown | Halt | Pause | Unapproved, now: number): CallResult {
  if (isUnapproved(end)) return { status: 'unapproved', key: end.passage.command.key, ...end.approval };
  return isPause(end) ? toPended(end, now) : toOutcome(end, now);
}

function toPended({ passage, deadline_ms, correlation_alias }: Pause, pended_at: number): CallPended {
  const { key, http_status, response_headers, response_body } = callEnd(passage, pended_at, undefined);
  const facts = present({ http_status, response_headers, response_body, correlation_alias });
  return { status: 'pending', key, pended_at, deadline_ms, ...facts };
}

export function toOutcome(end: Shown | Halt, ended_at: number): CallOutcome {
  if (!isHalt(end)) {
    const { answer, view, validation_status } = end;
    return { ...callEnd(end, ended_at, answer), status: 'succeeded', answer, view, validation_status };
  }
  const { passage, failure_class, message, rejected } = end;
  const ending = callEnd(passage, ended_at, rejected?.answer);
  const { response_body } = ending;
  const said = response_body && viewFailureBody(response_body, passage.command.call.redaction ?? []);
  const facts = passage.reply?.facts ?? {};
  const redacted = toStorableText(passage.secrets?.text(message) ?? message);
  const isDoubted = isUnknown(end);
  return present({
    ...ending,
    status: 'failed',
    failure_class,
    failure_message:
      shorten(redacted, MESSAGE_LENGTH_MAX) + quoteBody(end, response_body, said) + (isDoubted ? DOUBT : ''),
    refused: passage.begun !== true,
    ruling: passage.begun === true ? undefined : passage.ruling,
    outcome_unknown: isDoubted ? true : undefined,
    validation_status: validationOf(end),
    retry_after_ms: readWait(facts, ended_at, present({ failure_class, http_status: facts.http_status })),
    answer: rejected?.answer,
    said,
  });
}

/** Failures whose message does not hold the service's words. */
const UNQUOTED: readonly string[] = ['http_status', 'call_rejected', 'non_json', 'tool_error', 'internal_error'];

const EXCERPT_LENGTH_MAX = 200;

/** The first words of a service's error, as far as redaction shows them. A chat plugin quotes by itself. */
function quoteBody({ passage, failure_class }: Halt, body: Uint8Array | undefined, said: Json | undefined): string {
  const is_unquoted = UNQUOTED.includes(failure_class) && passage.route?.plugin.speaks === 'json';
  if (!is_unquoted || body === undefined || body.byteLength === 0) return '';
  if (said === undefined) return hiddenAnswer(passage);
  const words = (typeof said === 'string' ? said : JSON.stringify(said)).replaceAll(/\s+/g, ' ');
  return `${IT_SAID}${shorten(words, EXCERPT_LENGTH_MAX)}`;
}

/** Whether the call may have had a side effect, though it failed, that must not happen twice. */
function isUnknown({ passage, failure_class }: Halt): boolean {
  if (mayRepeat(passage.command.call)) return false;
  const { http_status } = passage.reply?.facts ?? {};
  return (
    passage.taken === true ||
    leavesOpen(present({ failure_class, http_status }), passage.sent === true, passage.command.call)
  );
}

/** A value that redaction refuses was validated before; one that never arrived was not. */
function validationOf({ passage, failure_class, rejected }: Halt): CallOutcome['validation_status'] {
  if (rejected?.validation_status) return rejected.validation_status;
  const judged = failure_class === 'non_json' || failure_class === 'schema_invalid';
  return judged && passage.reply ? 'invalid' : 'not_checked';
}

function callEnd(
  { command, started_at, reply }: Passage,
  ended_at: number,
  answer: Json | undefined,
): Omit<CallEnd, 'validation_status'> {
  const { http_status, response_headers, body, finish_reason } = reply?.facts ?? {};
  // A body that is the canonical answer would only repeat it.
  const isRepeated = body && answer !== undefined && Buffer.from(canonicalText(answer)).equals(body);
  return present({
    key: command.key,
    ended_at,
    duration_ms: Math.max(0, ended_at - started_at),
    http_status,
    response_headers,
    response_body: isRepeated ? undefined : body,
    finish_reason,
    usage: reply?.usage,
    trace: reply?.trace,
  });
}
