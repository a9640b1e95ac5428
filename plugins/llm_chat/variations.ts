import type { JsonObject, TriedQuestion } from 'chukwa/plugin';
import type { LlmChatInterface } from './interface.js';

/** Settings in which servers differ, for `chukwa model try`: usage, streams, output limit, reasoning in tags. */
export function listVariations(settings: LlmChatInterface, { has_schema }: TriedQuestion): readonly JsonObject[] {
  if (has_schema) return settings.reasoning === 'keep' ? [{ reasoning: 'strip_think' }] : [];
  const { max_output_tokens, stream = true, usage = true, extra_body = {} } = settings;
  return [
    ...(stream && usage ? [{ usage: false }] : []),
    ...(stream ? [{ stream: false }] : []),
    ...(max_output_tokens === undefined
      ? []
      : [{ max_output_tokens: null, extra_body: { ...extra_body, max_tokens: max_output_tokens } }]),
  ];
}
