/**
 * One form for the differing answers of "the OpenAI protocol": content is a text or a list of parts, reasoning has
 * three places, token counts two, and a complete answer has `message` where a chunk has `delta`.
 */
import type { Json, TokenUsage } from 'chukwa/plugin';

/** A piece of a native tool call. */
export interface ToolCallPiece {
  /** Undefined where the server leaves it out. */
  readonly index: number | undefined;
  /** Empty where the piece has none; the name too. */
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** `extra_content`, which its provider wants back. */
  readonly provider: Json | undefined;
}

/** The content of one event of a stream, or of a complete answer. */
export interface Chunk {
  readonly text: string;
  readonly reasoning: string;
  /** The field or part that held the reasoning. */
  readonly reasoning_from: string | undefined;
  readonly reasoning_details: readonly Json[];
  readonly refusal: string;
  readonly tool_calls: readonly ToolCallPiece[];
  readonly finish_reason: string | undefined;
  readonly usage: TokenUsage | undefined;
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly system_fingerprint: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads an event, or a complete answer.
 * @param is_first no event came before: then a `message` in place of a `delta` is the answer; later it repeats what was
 * streamed
 * @returns undefined where it is no part of an answer
 */
export function readChunk(event: unknown, is_first: boolean): Chunk | undefined {
  if (!isFields(event) || !isAnswerPart(event)) return undefined;
  const choice = firstChoice(event['choices']);
  const said = choice?.['delta'] ?? (is_first ? choice?.['message'] : undefined) ?? {};
  if (!isFields(said)) return undefined;
  const content = readContent(said['content']);
  const reasoning = readReasoning(said);
  const { refusal } = said;
  if (content === undefined || !isTextOrLeftOut(refusal)) return undefined;
  const usage = findUsage(event);
  return {
    text: content.text,
    reasoning: reasoning.text + content.reasoning,
    reasoning_from: reasoning.from ?? (content.reasoning === '' ? undefined : 'content parts'),
    reasoning_details: Array.isArray(said['reasoning_details']) ? (said['reasoning_details'] as readonly Json[]) : [],
    refusal: refusal ?? '',
    tool_calls: readToolCalls(said),
    finish_reason: findText(choice?.['finish_reason']) || undefined,
    usage: usage === undefined ? undefined : toTokenUsage(usage),
    id: findText(event['id']),
    model: findText(event['model']),
    system_fingerprint: findText(event['system_fingerprint']),
  };
}

/** Choices, token counts, or a sign of life. Some servers dress an error as an event. */
function isAnswerPart(event: Fields): boolean {
  const { choices, usage } = event;
  if (Array.isArray(choices)) return choices.every(isFields);
  if (!isLeftOut(choices)) return false;
  return isFields(usage) || isSignOfLife(event);
}

function isSignOfLife({ object, type, ...rest }: Fields): boolean {
  if (typeof object === 'string') return object.startsWith('chat.completion');
  return object === undefined && (type === 'ping' || (type === undefined && Object.values(rest).every(isLeftOut)));
}

/** The first choice, which alone is requested; a server may leave its number out. */
function firstChoice(choices: unknown): Fields | undefined {
  if (!Array.isArray(choices)) return undefined;
  return (choices as readonly Fields[]).find(({ index }) => Number(index ?? 0) === 0);
}

interface Content {
  readonly text: string;
  readonly reasoning: string;
}

/** @returns undefined where the content is neither a text nor a list of parts */
function readContent(content: unknown): Content | undefined {
  if (typeof content === 'string') return { text: content, reasoning: '' };
  if (isLeftOut(content)) return { text: '', reasoning: '' };
  if (!Array.isArray(content) || !content.every(isFields)) return undefined;
  const parts = (content as readonly Fields[]).map(readPart);
  return { text: parts.map(({ text }) => text).join(''), reasoning: parts.map(({ reasoning }) => reasoning).join('') };
}

/** Text, or reasoning; references and pictures are neither. */
function readPart({ type = 'text', ...part }: Fields): Content {
  if (type === 'text' || type === 'output_text') return { text: findText(part['text']) ?? '', reasoning: '' };
  if (type !== 'thinking' && type !== 'reasoning') return { text: '', reasoning: '' };
  return { text: '', reasoning: readThought(part['thinking'] ?? part['reasoning'] ?? part['text']) };
}

/** Reasoning is a text, or a list of parts of its own. */
function readThought(thought: unknown): string {
  if (typeof thought === 'string') return thought;
  if (!Array.isArray(thought)) return '';
  return thought.map((part: unknown) => (isFields(part) ? (findText(part['text']) ?? '') : '')).join('');
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** Some proxies send the same reasoning in both fields. */
function readReasoning(said: Fields): { readonly text: string; readonly from: string | undefined } {
  const from = REASONING_FIELDS.find((field) => readThought(said[field]) !== '');
  if (from !== undefined) return { text: readThought(said[from]), from };
  const details = said['reasoning_details'];
  const text = readThought(details);
  return { text, from: text === '' ? undefined : 'reasoning_details' };
}

function readToolCalls({ tool_calls, function_call }: Fields): readonly ToolCallPiece[] {
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  const pieces = calls.filter(isFields).map((call, place) => toPiece(call, calls.length > 1 ? place : undefined));
  return isFields(function_call) ? [...pieces, toPiece({ function: function_call }, undefined)] : pieces;
}

/** @param place where several calls are in one event: the index of one without */
function toPiece({ function: called, ...call }: Fields, place: number | undefined): ToolCallPiece {
  const { name, arguments: given } = isFields(called) ? called : {};
  const written = isFields(given) ? JSON.stringify(given) : findText(given);
  const { index = place, extra_content } = call;
  return {
    index: typeof index === 'number' ? index : undefined,
    id: findText(call['id']) ?? '',
    name: findText(name) ?? '',
    arguments: written ?? '',
    provider: isFields(extra_content) ? (extra_content as Json) : undefined,
  };
}

/** Beside the choices; one provider puts it into a member of its own, and others send an empty one with every piece. */
function findUsage(event: Fields): Fields | undefined {
  const found = [event['usage'], memberOf(event['x_groq'], 'usage')];
  return found.filter(isFields).find((usage) => typeof inputOf(usage) === 'number');
}

/** Some servers name the counts as another API does. */
function inputOf({ prompt_tokens, input_tokens }: Fields): unknown {
  return prompt_tokens ?? input_tokens;
}

/** The recorder drops counts that are no numbers. */
function toTokenUsage(usage: Fields): TokenUsage {
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  const beside = [usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']];
  const cached = memberOf(details, 'cached_tokens') ?? usage['prompt_cache_hit_tokens'] ?? beside[0];
  const written = memberOf(details, 'cache_write_tokens') ?? beside[1];
  // One API counts what its cache gave and took beside its input; its counts have other names, and no total.
  const isBeside = usage['prompt_tokens'] === undefined && usage['total_tokens'] === undefined;
  const apart = isBeside ? beside.filter((count) => typeof count === 'number') : [];
  const input_tokens = apart.reduce((sum, count) => sum + count, inputOf(usage) as number);
  const made = usage['completion_tokens_details'] ?? usage['output_tokens_details'];
  const reasoning = memberOf(made, 'reasoning_tokens') ?? usage['reasoning_tokens'];
  return {
    input_tokens,
    output_tokens: countOutput(usage, input_tokens, reasoning),
    ...(typeof cached === 'number' ? { cached_input_tokens: cached } : {}),
    ...(typeof written === 'number' ? { cache_written_input_tokens: written } : {}),
    ...(typeof reasoning === 'number' ? { reasoning_tokens: reasoning } : {}),
  };
}

/** Most providers count reasoning as output. One counts it beside the output, and only the total has both. */
function countOutput(usage: Fields, input: number, reasoning: unknown): number {
  const output = (usage['completion_tokens'] ?? usage['output_tokens']) as number;
  const isBeside = typeof reasoning === 'number' && usage['total_tokens'] === input + output + reasoning;
  return isBeside ? output + reasoning : output;
}

function memberOf(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined;
}

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Servers send anything. */
function findText(said: unknown): string | undefined {
  return typeof said === 'string' ? said : undefined;
}

function isTextOrLeftOut(value: unknown): value is string | undefined {
  return typeof value === 'string' || isLeftOut(value);
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}
