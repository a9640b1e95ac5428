import type { PromptMessage } from '../../generated/workflow.js';
import { type Placeholder, parsePromptText } from '../prompt/template.js';

/** The text of a message, once the file that it may name has been looked up. */
export function textOf({ content }: Pick<PromptMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  throw new Error('the text of the prompt has not been looked up');
}

/** Where the text of a message is in its node. */
export function messagePointer(index: number): string {
  return `/prompt_template/messages/${index}/content`;
}

/** A placeholder of a prompt, and where it is in its node. */
export interface PlacedPlaceholder {
  readonly placeholder: Placeholder;
  readonly pointer: string;
  readonly offset: number;
}

/** The placeholders of a prompt, or those that read one thing. */
export function listPlaceholders(
  messages: readonly PromptMessage[],
  reads?: Placeholder['reads'],
): readonly PlacedPlaceholder[] {
  return messages.flatMap((message, index) =>
    parsePromptText(textOf(message)).parts.flatMap((part) =>
      part.kind === 'placeholder' && (reads === undefined || part.placeholder.reads === reads)
        ? [{ placeholder: part.placeholder, pointer: messagePointer(index), offset: part.offset }]
        : [],
    ),
  );
}
