import type { Json } from '../contract/json.js';
import { contentOf } from '../core/prompt/message.js';
import type { Attributes } from './span.js';
import type { EndedCall } from './observed-call.js';

/**
 * What a model was shown and what it said, what a tool was given and what it answered: exported only where the operator asks
 * for it, and never more than redaction lets the turn see.
 */
export function toContents({ command, outcome }: Pick<EndedCall, 'command' | 'outcome'>): Attributes {
  const view = outcome.status === 'succeeded' ? outcome.view : undefined;
  if (command.generation === undefined)
    return {
      'gen_ai.tool.call.arguments': JSON.stringify(command.request),
      'gen_ai.tool.call.result': view === undefined ? undefined : JSON.stringify(view),
    };
  return {
    'gen_ai.input.messages': JSON.stringify(
      command.generation.messages.map((message) => {
        return { role: message.role, parts: [{ type: 'text', content: contentOf(message) }] };
      }),
    ),
    'gen_ai.output.messages': view === undefined ? undefined : JSON.stringify([toOutput(view)]),
  };
}

function toOutput(view: Json): Json {
  const { text = '', finish_reason = '' } = view as { readonly text?: string; readonly finish_reason?: string };
  return { role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason };
}

/** Why a model stopped. */
export function finishReasonsOf({ outcome }: Pick<EndedCall, 'outcome'>): readonly string[] | undefined {
  const view = outcome.status === 'succeeded' ? (outcome.view as { readonly finish_reason?: string }) : outcome;
  return typeof view.finish_reason === 'string' && view.finish_reason !== '' ? [view.finish_reason] : undefined;
}
