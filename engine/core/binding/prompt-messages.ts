import type { LlmJsonNode, PromptMessage } from '../../generated/workflow.js';
import { type Placeholder, parsePromptText } from '../prompt/template.js';

/** The text of a message, once the file that it may name has been looked up. */
export function textOf({ content }: Pick<PromptMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  throw new Error('the text of the prompt has not been looked up');
}

/** A prompt of a node, and where it is in its node. */
export interface PlacedPrompt {
  readonly pointer: string;
  readonly messages: readonly PromptMessage[];
  /** It is no prompt: its texts make the query for which memories are retrieved. */
  readonly is_query?: true;
}

/** The prompts of a node that asks a model: its own, that of its gate, and the query of its projection. */
export function promptsOf({
  prompt_template,
  gate,
  projection,
}: Pick<LlmJsonNode, 'prompt_template' | 'gate' | 'projection'>): readonly PlacedPrompt[] {
  const query = projection.memory.retrieve?.query.map((content) => ({ role: 'user' as const, content }));
  return [
    { ...prompt_template, pointer: '/prompt_template' },
    ...(gate === undefined ? [] : [{ ...gate.prompt_template, pointer: '/gate/prompt_template' }]),
    ...(query === undefined
      ? []
      : [{ messages: query, pointer: '/projection/memory/retrieve/query', is_query: true as const }]),
  ];
}

/** Where the text of a message is in its node. */
export function messagePointer({ pointer, is_query }: Omit<PlacedPrompt, 'messages'>, index: number): string {
  return is_query === true ? `${pointer}/${index}` : `${pointer}/messages/${index}/content`;
}

/** The placeholders of prompts, or those that read one thing. */
export function listPlaceholders(
  prompts: readonly PlacedPrompt[],
  reads?: Placeholder['reads'],
): readonly { readonly placeholder: Placeholder; readonly pointer: string; readonly offset: number }[] {
  return prompts.flatMap((prompt) =>
    prompt.messages.flatMap((message, index) =>
      parsePromptText(textOf(message)).parts.flatMap((part) =>
        part.kind === 'placeholder' && (reads === undefined || part.placeholder.reads === reads)
          ? [{ placeholder: part.placeholder, pointer: messagePointer(prompt, index), offset: part.offset }]
          : [],
      ),
    ),
  );
}
