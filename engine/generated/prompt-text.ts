// Made by tools/generate-types.ts from schemas/prompt-text.schema.json: do not edit, run `npm run generate`.
/** A stored prompt: the text of a .md or .txt file. */
export interface PromptText {
  /** The text, with \n as line ends, and without the last line end. */
  readonly text: string;
}
