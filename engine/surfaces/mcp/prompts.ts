import { readFileSync } from 'node:fs';
import type { OfferedPrompt } from './offer.js';

/** The prompts by their files, and what each takes; an argument that is not required has a word in its place. */
export const PROMPTS: readonly OfferedPrompt[] = [
  toPrompt('author_a_workflow', { purpose: { description: 'What the workflow is for.', required: true } }),
  toPrompt('explain_an_attempt', {
    attempt_id: { description: 'The id of the attempt.', required: true },
    question: { description: 'What is to be explained.', required: false },
  }),
  toPrompt('design_a_scenario', { idea: { description: 'What is to be observed.', required: true } }),
];

interface Argument {
  readonly description: string;
  readonly required: boolean;
}

/** The first paragraph of a file describes its prompt, and the rest is its text. */
function toPrompt(name: string, takes: Readonly<Record<string, Argument>>): OfferedPrompt {
  const file = new URL(`prompts/${name.replaceAll('_', '-')}.md`, import.meta.url);
  const [description = '', ...paragraphs] = readFileSync(file, 'utf8').trim().split('\n\n');
  const text = paragraphs.join('\n\n');
  return {
    prompt: {
      name,
      description,
      arguments: Object.entries(takes).map(([key, argument]) => ({ name: key, ...argument })),
    },
    get: (said) => ({
      description,
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => said[key] ?? 'none') },
        },
      ],
    }),
  };
}
