import type { TokenUsage } from '../contract/source.js';
import type { Generation } from '../core/protocol/command.js';

/** The kind of the artifact that says why the counts of a generation cannot be true. */
export const COUNTS_DOUBTED = 'counts_doubted';

/** No tokenizer makes longer tokens of a prompt; a short one says little. */
const CHARACTERS_OF_A_TOKEN_MAX = 8;
const PROMPT_CHARACTERS_MIN = 4_000;

/** No model is given, or says, as many. */
const TOKENS_MAX = 1_000_000_000;

/** Why the counts that a provider reports cannot be true; undefined where they can. */
export function doubtCounts(
  { input_tokens, output_tokens }: TokenUsage,
  { messages }: Pick<Generation, 'messages'>,
  said_characters: number,
): string | undefined {
  for (const count of [input_tokens, output_tokens])
    if (!Number.isInteger(count) || count < 0 || count > TOKENS_MAX)
      return `${typeof count === 'number' ? count : 'what was counted'} is no number of tokens`;
  const texts = messages.flatMap(({ segments }) => segments.map(({ text }) => text));
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters >= PROMPT_CHARACTERS_MIN && characters > input_tokens * CHARACTERS_OF_A_TOKEN_MAX)
    return `the prompt has ${characters} characters, and ${input_tokens} tokens of it were counted: the server may have cut it; check the length of its context`;
  return output_tokens === 0 && said_characters > 0
    ? `the answer has ${said_characters} characters, and no token of it was counted`
    : undefined;
}
