// Made by tools/generate-types.ts from schemas/prompt-text.schema.json: do not edit, run `npm run generate`.
/** A prompt in a file of its own, as it is stored: the text of a file whose name ends in .md or .txt. */
export interface PromptText {
  /** The text, with lines that end in \n, and without the end of the last line. */
  readonly text: string;
}
