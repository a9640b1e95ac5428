import type { TokenUsage } from '../../contract/source.js';
import type { Message } from '../prompt/message.js';

/** The kind of the artifact that says why the counts of a generation cannot be true. */
export const COUNTS_DOUBTED = 'counts_doubted';

/** The kind of the artifact with the tokens that a budget counts where the provider's counts are absent or doubted. */
export const TOKENS_ESTIMATED = 'tokens_estimated';

/** The counts of which a budget consists. */
export type CountedTokens = Pick<TokenUsage, 'input_tokens' | 'output_tokens'>;

/** No tokenizer makes longer tokens of a prompt; a short one says little. */
const CHARACTERS_OF_A_TOKEN_MAX = 8;
const PROMPT_CHARACTERS_MIN = 4_000;

/** No tokenizer makes more tokens of a character: most make one of each byte at worst, and a character has up to three. */
const TOKENS_OF_A_CHARACTER_MAX = 4;

/** What a server adds to a prompt by itself: its template, the schema, tools. */
const ADDED_TOKENS_MAX = 32_768;

/** What a model may think beside its answer, which not every server counts apart. */
const HIDDEN_TOKENS_MAX = 131_072;

/** No model is given, or says, as many. */
const TOKENS_MAX = 1_000_000_000;

/** Why the counts that a provider reports cannot be true; undefined where they can. */
export function doubtCounts(
  usage: TokenUsage,
  messages: readonly Message[],
  said_characters: number,
): string | undefined {
  const { input_tokens, output_tokens } = usage;
  const doubt = doubtParts(usage);
  if (doubt !== undefined) return doubt;
  const characters = messages.flatMap(({ segments }) => segments).reduce((sum, { text }) => sum + text.length, 0);
  if (input_tokens === 0 && characters > 0)
    return `the prompt has ${characters} characters, and no token of it was counted`;
  if (characters >= PROMPT_CHARACTERS_MIN && characters > input_tokens * CHARACTERS_OF_A_TOKEN_MAX)
    return `the prompt has ${characters} characters, and ${input_tokens} tokens of it were counted: the server may have cut it; check the length of its context`;
  if (input_tokens > characters * TOKENS_OF_A_CHARACTER_MAX + ADDED_TOKENS_MAX)
    return `the prompt has ${characters} characters, and ${input_tokens} tokens of it were counted`;
  if (output_tokens === 0 && said_characters > 0)
    return `the answer has ${said_characters} characters, and no token of it was counted`;
  return output_tokens > said_characters * TOKENS_OF_A_CHARACTER_MAX + HIDDEN_TOKENS_MAX
    ? `the answer has ${said_characters} characters, and ${output_tokens} tokens of it were counted`
    : undefined;
}

/** Why the later of two reports of one answer cannot be true beside the earlier: counts only grow. */
export function doubtShrunk(earlier: CountedTokens, later: CountedTokens): string | undefined {
  const say = ({ input_tokens, output_tokens }: CountedTokens): string =>
    `${input_tokens} tokens of the prompt and ${output_tokens} of the answer`;
  return later.input_tokens < earlier.input_tokens || later.output_tokens < earlier.output_tokens
    ? `the server counted ${say(earlier)}, and then ${say(later)}`
    : undefined;
}

/** Why an answer cannot have so many tokens, beside its reasoning, under the limit that was sent. Some servers ignore it. */
export function doubtLimited(
  { output_tokens, reasoning_tokens = 0 }: TokenUsage,
  limit: number | undefined,
  said_characters: number,
): string | undefined {
  const most = Math.max((limit ?? Infinity) + ENDING_TOKENS, said_characters * TOKENS_OF_A_CHARACTER_MAX);
  return output_tokens - reasoning_tokens > most
    ? `${output_tokens} tokens were counted of an answer of ${said_characters} characters, and the limit was ${limit}`
    : undefined;
}

/** Servers count marks at the end beyond the limit. */
const ENDING_TOKENS = 16;

/** Why counts cannot be true by themselves, whatever was asked and said; undefined where they can. */
export function doubtParts(usage: TokenUsage): string | undefined {
  const {
    input_tokens,
    output_tokens,
    cached_input_tokens: cached = 0,
    cache_written_input_tokens: written = 0,
  } = usage;
  const { reasoning_tokens: reasoning = 0 } = usage;
  for (const count of [input_tokens, output_tokens, cached, written, reasoning])
    if (!Number.isInteger(count) || count < 0 || count > TOKENS_MAX)
      return `${typeof count === 'number' ? count : 'what was counted'} is no number of tokens`;
  if (cached + written > input_tokens)
    return `${cached + written} tokens of the cache are more than the ${input_tokens} of the input, of which they are a part`;
  return reasoning > output_tokens
    ? `${reasoning} tokens of reasoning are more than the ${output_tokens} of the output, of which they are a part`
    : undefined;
}

/** What a provider has counted, as columns: null where it has not. */
export type CountColumns = { readonly [Part in keyof TokenUsage]-?: number | null };

export function toCountColumns(usage: TokenUsage | undefined): CountColumns {
  return {
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cached_input_tokens: usage?.cached_input_tokens ?? null,
    cache_written_input_tokens: usage?.cache_written_input_tokens ?? null,
    reasoning_tokens: usage?.reasoning_tokens ?? null,
  };
}

/** Most tokenizers make a token of so many bytes, in most languages. */
export const BYTES_OF_A_TOKEN = 4;

/** What a prompt and its answer probably count, by the bytes of their texts. */
export function estimateTokens(messages: readonly Message[], said: string): CountedTokens {
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
  return { input_tokens: bytesToTokens(bytes), output_tokens: estimateTexts(said) };
}

/** A conversation only grows: each of its messages is counted once. */
const bytesOfMessages = new WeakMap<Message, number>();

function bytesOf(message: Message): number {
  const known = bytesOfMessages.get(message);
  if (known !== undefined) return known;
  const bytes = sumBytes(message.segments.map(({ text }) => text));
  bytesOfMessages.set(message, bytes);
  return bytes;
}

/** What texts probably count. */
export function estimateTexts(...texts: readonly string[]): number {
  return bytesToTokens(sumBytes(texts));
}

function sumBytes(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}

/** What so many bytes of texts probably count. */
export function bytesToTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_OF_A_TOKEN);
}

/** The provider's counts, or an estimate in the place of counts that are missing or cannot be true. */
export function countUsed(
  usage: TokenUsage | undefined,
  messages: readonly Message[],
  said: string,
): { readonly counts: TokenUsage; readonly is_estimated: boolean } {
  const is_estimated = usage === undefined || doubtCounts(usage, messages, said.length) !== undefined;
  return { counts: is_estimated ? estimateTokens(messages, said) : usage, is_estimated };
}
