import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../contract/json.js';
import { isObject } from '../../../core/content/json-pointer.js';
import { parseJson } from '../../../core/content/parse-json.js';
import type { LlmCallRecord } from '../../../ports/records.js';
import { callHead } from './attempt.js';
import { blockLines, factLines, jsonText } from './block.js';
import { toPhrase } from '../../../catalogue/phrase.js';
import { accent, EMPTY, faint, line, type Lines, type Span, strong, verbatim } from './line.js';
import { toSafeLines } from './neutralise.js';
import { count, shortHash, toDuration, toMoment } from '../../../catalogue/words.js';

/** One generation: its messages with the origin of each part, its streamed text, its verdict. */
export function llmCallLines(call: LlmCallRecord): Lines {
  const { llm_call_id, messages, raw_text, normalised_text, artifacts } = call;
  const isCleaned = normalised_text !== null && normalised_text !== raw_text;
  return [
    callHead(`llm-call ${llm_call_id}`, call),
    factLines(Object.entries(factsOf(call))),
    messages.flatMap(messageLines),
    EMPTY,
    line(strong('said'), faint(`  ${toStreaming(call)}`)),
    toSafeLines(raw_text).map((row) => verbatim('  ', row)),
    isCleaned && blockLines('normalised', normalised_text),
    artifacts.flatMap((artifact) => artifactLines(artifact, normalised_text ?? raw_text)),
  ];
}

type Artifact = LlmCallRecord['artifacts'][number];

/** A value that the text holds word for word is named, and not shown again. */
function artifactLines({ kind, value }: Artifact, said: string): Lines {
  const parsed = parseJson(said);
  const members = parsed.ok && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  const whole: readonly (readonly [string, Json])[] = parsed.ok ? [['all', parsed.value]] : [];
  const equal = [...whole, ...members].find(([, part]) => isDeepStrictEqual(part, value));
  if (equal === undefined) return blockLines(kind, jsonText(value));
  const [name] = equal;
  return [
    EMPTY,
    line(strong(kind), faint(`  ${name === 'all' ? 'all of what it said' : `the ${name} of what it said`}`)),
  ];
}

export function schemaLines({ output_schema }: LlmCallRecord): Lines {
  return blockLines('offered schema', jsonText(output_schema));
}

function factsOf(call: LlmCallRecord): Readonly<Record<string, string | number | null>> {
  return {
    world: `${call.world_slug}, turn ${call.attempted_turn}`,
    attempt: call.attempt_id,
    invocation: call.source_invocation_id,
    for: `${call.workflow_subject_entity_id}, ${call.workflow_node_id}, round ${call.tool_loop_round}, try ${call.logical_generation_attempt}`,
    source: `${call.source_label} (${shortHash(call.source_hash)})`,
    model: call.model,
    endpoint: call.endpoint_origin,
    settings: toSettings(call),
    schema: toSchema(call),
    'judged as': call.model_output_kind,
    tokens: toTokens(call),
    'finish reason': call.finish_reason,
    began: toMoment(call.started_at),
    took: call.duration_ms === null ? null : toDuration(call.duration_ms),
  };
}

function toSchema({ output_schema_hash, delivered_schema_hash, schema_delivery }: LlmCallRecord): string {
  const isLooser = delivered_schema_hash !== null && delivered_schema_hash !== output_schema_hash;
  const sent = isLooser ? `, sent without its bounds as ${shortHash(delivered_schema_hash)}` : '';
  return `${shortHash(output_schema_hash)}, by ${schema_delivery}${sent}`;
}

/** The author's settings that have no line of their own: temperature, seed, limits. */
function toSettings({ interface: asked, model, schema_delivery }: LlmCallRecord): string | null {
  const shown: readonly unknown[] = [model, schema_delivery];
  const settings = Object.entries(asked).filter(([member, value]) => member !== 'name' && !shown.includes(value));
  return toPhrase(Object.fromEntries(settings));
}

function toTokens({ tokens }: LlmCallRecord): string | null {
  if (tokens === null) return null;
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens } = tokens;
  return [
    `${input_tokens} in`,
    `${output_tokens} out`,
    ...(cached_input_tokens === null ? [] : [`${cached_input_tokens} of the input cached`]),
    ...(reasoning_tokens === null ? [] : [`${reasoning_tokens} of the output reasoning`]),
  ].join(', ');
}

type MessageRecord = LlmCallRecord['messages'][number];

/** The author's text is plain; text that filled a placeholder is emphasised. */
function messageLines({ role, content, segments }: MessageRecord): Lines {
  const origins = Object.entries(countByOrigin(segments)).map(([origin, characters]) => `${origin} ${characters}`);
  const rows = toRows(content, segments).map((spans) => verbatim(faint('  | '), ...spans));
  return [EMPTY, line(strong(role), faint(`  ${count(content.length, 'character')}: ${origins.join(' · ')}`)), rows];
}

function countByOrigin(segments: MessageRecord['segments']): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { origin, characters } of segments) sums[origin] = (sums[origin] ?? 0) + characters;
  return sums;
}

/** The lines of a message, each of its segments. */
function toRows(content: string, segments: MessageRecord['segments']): readonly (readonly Span[])[] {
  const rows: Span[][] = [[]];
  let start = 0;
  for (const { origin, characters } of segments) {
    const [first = '', ...others] = toSafeLines(content.slice(start, start + characters));
    const toned = (text: string): Span => (origin === 'author' ? { text } : accent(text));
    rows.at(-1)?.push(toned(first));
    rows.push(...others.map((text) => [toned(text)]));
    start += characters;
  }
  return rows;
}

function toStreaming({ chunks }: LlmCallRecord): string {
  const first = chunks[0];
  const last = chunks.at(-1);
  if (first === undefined || last === undefined) return 'nothing streamed in';
  return `${count(chunks.length, 'chunk')}, the first after ${toDuration(first.offset_ms)}, the last after ${toDuration(last.offset_ms)}`;
}
