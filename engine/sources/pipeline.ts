import { present } from '../contract/present.js';
import type { CallRecorder, CallResult, CallSource, ReceiveReport, ReplaceSecrets } from '../ports/sources.js';
import type { Clock } from '../ports/clock.js';
import type { SourceProgram } from '../core/protocol/program.js';
import type { Alarm } from '../contract/source.js';
import type { Authorise } from './authorise.js';
import type { Admission } from './admission.js';
import type { Broker } from './connections/broker.js';
import type { Applicant, Sign } from './admission-table.js';
import { toCallOutcome, toOutcome } from './outcome.js';
import {
  type Answered,
  type Asked,
  type Begun,
  durableOf,
  first,
  type Halt,
  halt,
  isHalt,
  isPause,
  isUnapproved,
  type Pause,
  type Ready,
  type Shown,
  type Stages,
} from './passage.js';
import { call } from './stages/call.js';
import { startDurably } from './stages/durable-start.js';
import { approve, authorise, checkPolicy, connect, grant } from './stages/leave.js';
import { readSecrets, type SecretsParts } from './stages/read-secrets.js';
import { receive, type Reported } from './stages/receive.js';
import { type Redact, redactAnswer } from './stages/redact-answer.js';
import { findRoute, resolve, type ResolveParts } from './stages/resolve.js';
import { validateInput } from './stages/validate-input.js';
import { validateOutput } from './stages/validate-output.js';

export interface PipelineParts extends ResolveParts, SecretsParts {
  readonly admission: Admission;
  readonly authorise: readonly Authorise[];
  readonly broker: Pick<Broker, 'open'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly alarm: Alarm;
  readonly redact: Redact;
}

/** The one way out: every call passes these stages, in this order. */
export function callStages(parts: Omit<PipelineParts, 'admission'>): Stages<Shown> {
  return first('resolve', resolve(parts))
    .next('policy', checkPolicy)
    .next('authorise', (passage) => authorise(passage, parts.authorise))
    .next('approve', approve)
    .next('grant', grant)
    .next('connect', (passage) => connect(passage, parts.broker))
    .next('validate', validateInput)
    .next('start', startDurably)
    .next('call', (passage) => openAndCall(passage, parts))
    .next('check', validateOutput)
    .next('redact', (passage) => redactAnswer(passage, parts.redact));
}

/** Reads the secrets once the call has begun, as late as possible, and calls. */
async function openAndCall(
  passage: Begun,
  parts: Omit<PipelineParts, 'admission'>,
): Promise<(Ready & Answered) | Halt | Pause> {
  const ready = await readSecrets(passage, parts);
  return isHalt(ready) ? ready : call(ready, parts);
}

/** Makes the function that makes every call. */
export function createCallSource(parts: PipelineParts): CallSource {
  const stages = callStages(parts);
  const toApplicant = applicantsOf(parts);
  return async (command, surroundings, recorder) => {
    const leave = await parts.admission.enter(toApplicant({ command, surroundings }), surroundings.signal);
    let result: CallResult | undefined;
    try {
      const end = await stages.run({ command, surroundings, recorder, started_at: parts.clock.now() });
      // The end of a call is never written before its start, however soon the call ends.
      await durableOf(end);
      result = toCallOutcome(end, parts.clock.now());
      return result;
    } finally {
      leave(result && toSign(result));
    }
  };
}

/** The key by which a call is admitted. Its endpoint is known as long as the engine is open, as its route is. */
function applicantsOf(parts: PipelineParts): (asked: Pick<Asked, 'command' | 'surroundings'>) => Applicant {
  const endpoints = new WeakMap<SourceProgram, string | undefined>();
  return ({ command: { call, rank = 0 }, surroundings: { client_request_id } }) => {
    const { source } = call;
    if (!endpoints.has(source)) endpoints.set(source, findEndpoint(source, parts));
    const [world_slug = ''] = client_request_id.split('/');
    return present({ world_slug, rank, source, endpoint: endpoints.get(source) });
  };
}

function findEndpoint(source: SourceProgram, parts: PipelineParts): string | undefined {
  const route = findRoute(source, parts);
  return typeof route === 'string' || route.origin === undefined ? undefined : new URL(route.origin.url).origin;
}

/** The end of a call as a sign for all calls of its endpoint. */
function toSign(result: CallResult): Sign {
  if (result.status !== 'failed') return { kind: 'works' };
  const { http_status, retry_after_ms: for_ms } = result;
  return for_ms !== undefined && (http_status === 429 || http_status === 503) ? { kind: 'closed', for_ms } : undefined;
}

/** Makes the function through which answers come in that are reported later: the stages behind the call are the same. */
export function createReceiveReport(parts: PipelineParts): ReceiveReport {
  return async (command, report, { correlation_id, started_at }) => {
    const surroundings = { client_request_id: '', correlation_id, signal: NEVER };
    const asked: Asked = { command, surroundings, recorder: NOTHING_LEAVES, started_at };
    const end = report.kind === 'timed_out' ? timeOut(asked) : await reportStages(parts, report).run(asked);
    if (isPause(end) || isUnapproved(end)) throw new Error('no stage behind a call waits for it');
    const outcome = toOutcome(end, parts.clock.now());
    return outcome.status === 'failed' ? { ...outcome, was_pending: true } : outcome;
  };
}

/** Makes the function that replaces secrets in texts about past calls. The source's present address is not needed. */
export function createReplaceSecrets(parts: PipelineParts): ReplaceSecrets {
  return ({ source, correlation_id }, said) => {
    const route = findRoute(source, parts);
    const known = typeof route === 'string' ? { origin: undefined, secrets: [] } : route;
    return parts.opened.secretsOf(known, parts.makeCallback?.(correlation_id)).json(said);
  };
}

function reportStages(parts: PipelineParts, report: Reported): Stages<Shown> {
  return first('resolve', resolve(parts))
    .next('receive', (passage) => receive(passage, parts, report))
    .next('check', validateOutput)
    .next('redact', (passage) => redactAnswer(passage, parts.redact));
}

/** The end of a call that no report answered. Its source need not be resolved. */
function timeOut(asked: Asked): Halt {
  const { pending_deadline_ms } = asked.command.call;
  return halt(
    { ...asked, begun: true, sent: true },
    'timeout',
    `no answer was reported within ${pending_deadline_ms} ms`,
  );
}

const NEVER = new AbortController().signal;

const NOTHING_LEAVES: CallRecorder = { started: async () => {}, flushed: async () => {} };
