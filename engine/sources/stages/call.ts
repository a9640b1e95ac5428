import { present } from '../../contract/present.js';
import type { InvocationContext, SourceAnswer, SourcePending, TransportFacts } from '../../contract/source.js';
import type { PluginManifest } from '../../generated/plugin-manifest.js';
import { mayRepeat } from '../../core/protocol/failure.js';
import { timeoutField } from '../../core/binding/source-settings.js';
import { identityOf } from '../identity.js';
import { boundCall } from '../call-bounds.js';
import { type CallLimit, type Cut, openCallLimit } from '../call-limit.js';
import { type CallOutside, openCallTrace } from '../call-trace.js';
import {
  type Answered,
  type Halt,
  halt,
  type Passage,
  type Pause,
  type Ready,
  type Reply,
  whyUnwanted,
} from '../passage.js';
import { copyGiven, readGiven } from '../given.js';
import { keepResponseHeaders } from '../response-headers.js';
import type { SecretReplacer } from '../secrets.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';
import { toStorableText } from '../../core/content/i-json.js';

/**
 * Calls the plugin, once. It has until the deadline; a plugin that does not settle by then is abandoned. A later answer
 * is accepted only where the author allows it.
 *
 * A plugin whose every request names its call sends nothing without names, which wait for the record of the call: it is
 * called while that is written, and gets its request ready. Every other is called when the record is durable.
 */
export async function call(passage: Ready, outside: CallOutside): Promise<(Ready & Answered) | Halt | Pause> {
  if (passage.source.names_its_calls !== true) await passage.durable;
  const limit = openCallLimit(runtimeOf(passage), passage.surroundings.signal, passage.durable);
  const trace = openCallTrace(passage, outside, limit.overtake);
  const { end, sent } = await invoke(passage, limit, { trace: trace.sink, ...contextOf(passage) });
  limit.close();
  const left = await trace.finish();
  const reply = (facts: TransportFacts | undefined): Reply => ({ facts: cleanFacts(facts, passage), ...left });
  const asked = { ...passage, sent };
  const replied = { ...asked, reply: reply(undefined) };
  if (end.kind === 'cut') return haltCut(replied, end.cut, runtimeOf(passage));
  return readGiven(replied, () =>
    end.kind === 'answered' ? readAnswer(asked, end.answer, reply) : readThrown(asked, end.thrown, reply),
  );
}

/** A call that has been made, and whether a byte of it may have left. */
type Made = Ready & Pick<Answered, 'sent'>;

type ToReply = (facts: TransportFacts | undefined) => Reply;

function readAnswer(
  passage: Made,
  answer: SourceAnswer | SourcePending,
  reply: ToReply,
): (Ready & Answered) | Halt | Pause {
  if (typeof answer !== 'object' || answer === null)
    return halt(
      { ...passage, reply: reply(undefined) },
      'transport',
      `the plugin ${passage.route.plugin.name} answered nothing`,
    );
  if ('pending' in answer) return pause({ ...passage, reply: reply(answer.facts) }, answer.pending);
  return { ...passage, value: copyGiven(answer.value), reply: reply(answer.facts) };
}

function readThrown(passage: Made, thrown: unknown, reply: ToReply): Halt {
  const failure = findSourceFailure(thrown);
  const message = failure?.message ?? `the plugin ${passage.route.plugin.name} failed: ${describeThrown(thrown)}`;
  return halt(
    { ...passage, reply: reply(failure?.facts) },
    failure?.failure_class ?? 'transport',
    toStorableText(message),
  );
}

type End =
  | { readonly kind: 'answered'; readonly answer: SourceAnswer | SourcePending }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'cut'; readonly cut: Cut };

async function invoke(
  passage: Ready,
  limit: CallLimit,
  context: Omit<InvocationContext, 'signal' | 'acts'>,
): Promise<{ readonly end: End; readonly sent: boolean }> {
  const cut = limit.cut();
  if (cut) return { end: { kind: 'cut', cut }, sent: false };
  const { command, route, source, durable, credentials } = passage;
  const sending = watchSending(passage);
  const max_response_bytes = toResponseLimit(route.plugin.manifest, command.call.limits.max_result_bytes);
  const bounds = { left: limit.left, max_response_bytes, ...sending.bounds, durable, ...present({ credentials }) };
  const { signal, within } = boundCall(limit.signal, bounds, source);
  const answered = within(async () => source.invoke(passage.request, { ...context, acts: sending.acts, signal })).then(
    (answer): End => ({ kind: 'answered', answer }),
    (thrown: unknown): End => ({ kind: 'threw', thrown }),
  );
  const end = await Promise.race([answered, limit.whenCut.then((cut): End => ({ kind: 'cut', cut }))]);
  // A plugin that obeys the signal throws before the race has its reason.
  const reason = limit.cut();
  const ended: End = end.kind === 'threw' && reason ? { kind: 'cut', cut: reason } : end;
  return { end: ended, sent: sending.has_sent() };
}

/**
 * Sees when a request leaves that may have a side effect: the source says so, or the door to its origin. A plugin that
 * does neither, as one that talks to a program, may have sent a request as soon as it is called.
 */
function watchSending({ command, route, source }: Ready) {
  let sent = source.says_when_it_acts !== true && route.origin === undefined;
  const acts = (): void => void (sent = true);
  const asks_door = command.call.effect !== 'read_only' && source.says_when_it_acts !== true;
  return { bounds: asks_door ? { onSending: acts } : {}, acts, has_sent: () => sent };
}

/** The longest name that a service may give to a call. */
const ALIAS_LENGTH_MAX = 256;

function pause(passage: Made & Pick<Answered, 'reply'>, said: SourcePending['pending']): Halt | Pause {
  if (passage.pending === undefined) {
    const message = `${passage.route.plugin.name} says that the answer comes later, and the binding has no pending_deadline_ms that would let it`;
    return halt({ ...passage, taken: true }, 'schema_invalid', message);
  }
  const named: unknown = said?.correlation_id;
  const alias = typeof named === 'string' ? passage.secrets.text(toStorableText(named)) : '';
  const isName = alias.length > 0 && alias.length <= ALIAS_LENGTH_MAX;
  const { deadline_ms } = passage.pending;
  return { passage, deadline_ms, ...(isName ? { correlation_alias: alias } : {}) };
}

function contextOf(passage: Ready): Omit<InvocationContext, 'signal' | 'trace' | 'acts'> {
  return {
    deadline_ms: runtimeOf(passage),
    max_result_bytes: passage.command.call.limits.max_result_bytes,
    client_request_id: passage.surroundings.client_request_id,
    correlation_id: passage.surroundings.correlation_id,
    may_repeat: mayRepeat(passage.command.call),
    ...identityOf(passage),
    ...present({ pending: passage.pending }),
  };
}

function runtimeOf({ command }: Passage): number {
  return Math.min(command.deadline_ms, command.call.limits.max_runtime_ms);
}

/** A model's text comes piece by piece, each wrapped in an event of a few hundred bytes; its own size is limited as it is collected. */
const OVERHEADS = { chat: { factor: 512, bytes: 1_048_576 }, json: { factor: 1, bytes: 0 } } as const;

/** How many bytes one response may have, for a plugin whose answer may have so many. */
export function toResponseLimit(
  { wire_overhead, speaks }: Pick<PluginManifest, 'wire_overhead' | 'speaks'>,
  max_result_bytes: number,
): number {
  const { factor, bytes } = wire_overhead ?? OVERHEADS[speaks];
  const overhead = Math.min(max_result_bytes * factor + bytes, WIRE_BYTES_MAX);
  return Math.max(overhead, max_result_bytes);
}

/** However much a protocol wraps. */
const WIRE_BYTES_MAX = 64 * 1024 * 1024;

function haltCut(passage: Ready, cut: Cut, runtime_ms: number): Halt {
  if (cut === 'timeout') return halt(passage, 'timeout', `no answer within ${runtime_ms} ms, ${toSetting(passage)}`);
  return halt(passage, 'stopped', `${whyUnwanted(passage)} while the call was under way`);
}

/** Which setting gives a call its time. */
function toSetting({ command, route }: Ready): string {
  const { limits, source } = command.call;
  if (command.deadline_ms < limits.max_runtime_ms) return "what is left of the node's timeout_seconds";
  const field = timeoutField(route.plugin.manifest);
  return source.interface[field] === limits.max_runtime_ms
    ? `which is the source's ${field}`
    : `the smaller of the policy's max_runtime_ms and the source's ${field}`;
}

function cleanFacts(facts: TransportFacts | undefined, { secrets, command }: Ready): TransportFacts {
  const { max_result_bytes } = command.call.limits;
  const { body, is_body_cut = false, finish_reason } = facts ?? {};
  const ending = is_body_cut || (body && body.length > max_result_bytes) ? 'cut' : 'whole';
  return {
    ...(Number.isInteger(facts?.http_status) ? { http_status: Number(facts?.http_status) } : {}),
    ...(facts?.response_headers ? { response_headers: cleanHeaders(facts.response_headers, secrets) } : {}),
    ...(typeof finish_reason === 'string' ? { finish_reason: secrets.text(toStorableText(finish_reason)) } : {}),
    ...present({ body: body && secrets.bytes(body.subarray(0, max_result_bytes), ending) }),
  };
}

function cleanHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: SecretReplacer,
): Readonly<Record<string, string>> {
  const kept = Object.entries(keepResponseHeaders(headers));
  return Object.fromEntries(kept.map(([name, value]) => [name, secrets.text(value)]));
}
