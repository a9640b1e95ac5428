import type { Tokenizer, TokenizerOf } from './tokenizer.js';

/** A generation, and how much of its conversation it sent. */
export interface SentPrompt {
  readonly conversation: string;
  readonly message_count: number;
  readonly model: string | null;
}

/** A piece of a conversation, in the order of its messages. */
export interface PromptPiece {
  readonly conversation: string;
  /** Of its message, from 1. */
  readonly position: number;
  /** Where its text is from: the author, the world, a tool. */
  readonly origin: string;
  readonly text: string;
}

/** What filled prompts, in tokens. */
export interface PromptParts {
  /** The most tokens first. */
  readonly parts: readonly { readonly origin: string; readonly tokens: number }[];
  readonly counted_tokens: number;
  /** How the prompts were counted. An estimate stands in for a tokenizer that is not known. */
  readonly counted_by: readonly { readonly tokenizer: string; readonly is_estimate: boolean; readonly calls: number }[];
}

/** How many counted texts are remembered: authors' texts come again in every prompt. */
const REMEMBERED_MAX = 5_000;

/** Counts what filled prompts, attempt by attempt. */
export class PromptTally {
  readonly #tokenizerOf: TokenizerOf;
  readonly #tokens = new Map<string, number>();
  readonly #calls = new Map<Tokenizer, number>();
  readonly #counted = new Map<Tokenizer, Map<string, number>>();

  constructor(tokenizerOf: TokenizerOf) {
    this.#tokenizerOf = tokenizerOf;
  }

  /** Adds the prompts of one attempt: each sends its conversation as far as it had come. */
  add(prompts: readonly SentPrompt[], pieces: readonly PromptPiece[]): void {
    const piecesOf = new Map<string, PromptPiece[]>();
    for (const piece of pieces) {
      const its = piecesOf.get(piece.conversation);
      if (its === undefined) piecesOf.set(piece.conversation, [piece]);
      else its.push(piece);
    }
    for (const { conversation, message_count, model } of prompts) {
      const tokenizer = this.#tokenizerOf(model);
      this.#calls.set(tokenizer, (this.#calls.get(tokenizer) ?? 0) + 1);
      for (const { position, origin, text } of piecesOf.get(conversation) ?? [])
        if (position <= message_count)
          this.#tokens.set(origin, (this.#tokens.get(origin) ?? 0) + this.#count(tokenizer, text));
    }
  }

  toParts(): PromptParts {
    const parts = [...this.#tokens].map(([origin, tokens]) => ({ origin, tokens }));
    return {
      parts: parts.sort((one, other) => other.tokens - one.tokens),
      counted_tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      counted_by: [...this.#calls].map(([{ name, is_estimate }, calls]) => ({ tokenizer: name, is_estimate, calls })),
    };
  }

  #count(tokenizer: Tokenizer, text: string): number {
    const counted = this.#counted.get(tokenizer) ?? new Map<string, number>();
    this.#counted.set(tokenizer, counted);
    const known = counted.get(text);
    if (known !== undefined) return known;
    if (counted.size >= REMEMBERED_MAX) counted.clear();
    const tokens = tokenizer.count(text);
    counted.set(text, tokens);
    return tokens;
  }
}
