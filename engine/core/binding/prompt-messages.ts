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
export interface PlacedPlaceholder<Reads extends Placeholder['reads']> {
  readonly placeholder: Extract<Placeholder, { readonly reads: Reads }>;
  readonly pointer: string;
  readonly offset: number;
}

/** The placeholders of a prompt that read one thing. */
export function listPlaceholders<Reads extends Placeholder['reads']>(
  messages: readonly PromptMessage[],
  reads: Reads,
): readonly PlacedPlaceholder<Reads>[] {
  const isMeant = (placeholder: Placeholder): placeholder is PlacedPlaceholder<Reads>['placeholder'] =>
    placeholder.reads === reads;
  return messages.flatMap((message, index) =>
    parsePromptText(textOf(message)).parts.flatMap((part) =>
      part.kind === 'placeholder' && isMeant(part.placeholder)
        ? [{ placeholder: part.placeholder, pointer: messagePointer(index), offset: part.offset }]
        : [],
    ),
  );
}
