/**
 * The stand-in for plugins in a dry run. It imports none of their code, and their manifests lose each way out: an
 * origin, a program, variables. A plugin's promises are all that is left of it; its answers were written before.
 */
import { present } from '../contract/present.js';
import { setImmediate } from 'node:timers/promises';
import type { Json } from '../contract/json.js';
import { parseClientRequestId, toPieces, toScriptedCall } from '../contract/scripted.js';
import type {
  ChatAnswer,
  ChatRequest,
  SourceAnswer,
  SourceFailure,
  SourcePlugin,
  TraceSink,
} from '../contract/source.js';
import type { SourceFailureClass } from '../contract/failure-class.js';
import { unreachable } from '../contract/unreachable.js';
import type { Answer, FaultAnswer } from '../generated/answers.js';
import type { AnswerCall, CallToAnswer } from '../ports/answers.js';
import type { Children } from './children.js';
import type { OriginFetches } from './origin-fetch.js';
import type { GetPlugin } from './opened-sources.js';
import { parseAnswer } from './given.js';
import type { DescribedPlugin } from './registry.js';
import { makeSourceFailure } from './source-failure.js';

/** In place of the import of a plugin's entry. */
export function standInFor(answerCall: AnswerCall): GetPlugin {
  return async ({ manifest }) => ({ ok: true, value: openStandIn(manifest.speaks, answerCall) });
}

/** A plugin as a dry run knows it: its version says that none of its code runs, and so nobody has to confirm it. */
export function toDry({ unconfirmed: _unconfirmed, ...plugin }: DescribedPlugin): DescribedPlugin {
  return { ...plugin, version: `dry-${plugin.version}`, is_dry: true };
}

/** A plugin with no way out. */
export function withoutWayOut(plugin: DescribedPlugin): DescribedPlugin {
  const {
    origin: _origin,
    spawn: _spawn,
    folder: _folder,
    variables: _variables,
    model: _model,
    secret_headers_field: _headers,
    ...manifest
  } = plugin.manifest;
  return { ...plugin, manifest };
}

/** The ways out of a dry run: there are none, and a search for one is a bug. */
export const NO_WAY_OUT: Pick<OriginFetches, 'bind' | 'close'> & Pick<Children, 'bind' | 'close'> = {
  bind: () => {
    throw new Error('a dry run has no way out');
  },
  close: async () => {},
};

function openStandIn(speaks: CallToAnswer['speaks'], answerCall: AnswerCall): SourcePlugin {
  return {
    open: ({ label }) => ({
      invoke: async (request, { client_request_id, signal, trace }) => {
        const place = parseClientRequestId(client_request_id);
        if (place === undefined) throw new Error(`${client_request_id} names no call`);
        const answer = answerCall({ ...place, source_label: label, speaks, request });
        // The outside never answers in the same turn of the event loop. Without a wait, a dry run in memory would leave
        // the process no moment in which to handle Ctrl-C, or a timer.
        await setImmediate();
        if (answer === undefined) {
          const { turn, key } = place;
          throw makeSourceFailure('unavailable', `the answers hold none for turn ${turn}, key "${key}"`);
        }
        if ('failure' in answer && answer.failure === 'stopped') await aborted(signal);
        return speaks === 'chat' ? utter(answer, request, trace) : reply(answer);
      },
    }),
  };
}

/** Waits until the call is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

/** A model's answer: whole, or in pieces; a call of an offered tool as a call. */
function utter(answer: Answer, request: Json, trace: TraceSink): SourceAnswer {
  const text = textOf(answer);
  const { native } = request as unknown as ChatRequest;
  const call = native && text !== undefined && !isFailing(answer) ? toScriptedCall(text, '') : undefined;
  const characters = 'chunk_characters' in answer ? answer.chunk_characters : undefined;
  for (const piece of toPieces(call === undefined ? (text ?? '') : '', characters)) trace.chunk(piece);
  const usage = 'usage' in answer ? answer.usage : undefined;
  if (usage) trace.tokens(usage);
  if (text === undefined || isFailing(answer)) throw failureOf(answer);
  if (call !== undefined) return { value: { text: '', finish_reason: 'tool_calls', items: [{ ...call }] } };
  const said: ChatAnswer = { text, finish_reason: ('finish_reason' in answer && answer.finish_reason) || 'stop' };
  return { value: said as unknown as Json };
}

/** The answer of any other source. */
function reply(answer: Answer): SourceAnswer {
  if ('json' in answer) return { value: answer.json };
  const text = textOf(answer);
  if (text === undefined || isFailing(answer)) throw failureOf(answer);
  const facts = { body: Buffer.from(text) };
  const parsed = parseAnswer(text);
  if (parsed.ok) return { value: parsed.value, facts };
  throw makeSourceFailure('non_json', `the answer that was written is not JSON: ${parsed.reason}`, facts);
}

function textOf(answer: Answer): string | undefined {
  if ('json' in answer) return JSON.stringify(answer.json);
  return 'text' in answer ? answer.text : undefined;
}

function isFailing(answer: Answer): boolean {
  return 'failure' in answer || 'fault' in answer;
}

/** The failures of no plugin, and what comes nearest to them: of a decision, where nobody is asked for the call. */
const INSTEAD: ReadonlyMap<string, SourceFailureClass> = new Map([
  ['stopped', 'transport'],
  ['approval_denied', 'unavailable'],
  ['approval_expired', 'unavailable'],
]);

function failureOf(answer: Answer): SourceFailure {
  if ('failure' in answer) {
    const { failure, message, http_status, text } = answer;
    const failure_class = INSTEAD.get(failure) ?? (failure as SourceFailureClass);
    const facts = present({ http_status, body: text === undefined ? undefined : Buffer.from(text) });
    return makeSourceFailure(failure_class, message ?? `the answer that was written says ${failure}`, facts);
  }
  if ('status' in answer) {
    const { status, body } = answer;
    const said = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const facts = { http_status: status, ...present({ body: said }) };
    return makeSourceFailure('http_status', `the answer that was written has status ${status}`, facts);
  }
  if ('refusal' in answer) return makeSourceFailure('model_refusal', `the model refused: ${answer.refusal}`);
  if ('fault' in answer) return faultOf(answer);
  throw new Error('this answer is no failure');
}

/** A dry run waits for nothing: a call that hangs times out at once. */
function faultOf({ fault }: FaultAnswer): SourceFailure {
  switch (fault) {
    case 'hang':
      return makeSourceFailure('timeout', 'the answer that was written never ends');
    case 'cut_stream':
    case 'no_finish':
    case 'reset':
      return makeSourceFailure('transport', `the answer that was written breaks off (${fault})`);
    default:
      return unreachable(fault);
  }
}
