import { BYTES_OF_A_TOKEN, estimateTexts } from '../protocol/token-counts.js';

/** Counts the tokens of texts. */
export interface Tokenizer {
  readonly name: string;
  /** Whether it guesses: it is not the one of the model. */
  readonly is_estimate: boolean;
  count(text: string): number;
}

/** For models whose own tokenizer is not known: as budgets estimate. */
export const ESTIMATE: Tokenizer = {
  name: `${BYTES_OF_A_TOKEN} bytes a token`,
  is_estimate: true,
  count: (text) => estimateTexts(text),
};

export type TokenizerOf = (model: string | null) => Tokenizer;
