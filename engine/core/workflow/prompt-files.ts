import { present } from '../../contract/present.js';
import type { CognitionWorkflow, PromptMessage } from '../../generated/workflow.js';
import { messagePointer, type PlacedPrompt, promptsOf } from '../binding/prompt-messages.js';
import { type CompileParts, hashOf, missing } from '../binding/compile-parts.js';
import type { ComponentReference } from '../protocol/component.js';
import type { DocumentProblem } from '../protocol/document-problem.js';
import type { AuthoredNode } from '../nodes/node-type.js';

/** A workflow that holds the text of every prompt itself. */
interface WithPrompts {
  readonly workflow: CognitionWorkflow;
  /** Prompts that are not there. */
  readonly problems: readonly DocumentProblem[];
  /** Moves a problem with a message into the document that holds its text. */
  readonly place: (problem: DocumentProblem) => DocumentProblem;
}

/** Puts the texts of prompts that are documents of their own into the workflow that names them. */
export function withPrompts(
  { find }: Pick<CompileParts, 'find'>,
  document: ComponentReference,
  authored: CognitionWorkflow,
): WithPrompts {
  const hashes = new Map<string, string>();
  const problems: DocumentProblem[] = [];
  const toText = (content: MessageContent, pointer: string): string => {
    if (typeof content === 'string') return content;
    const named = hashOf(content);
    const prompt = find('prompt_text', named);
    hashes.set(pointer, named);
    if (prompt === undefined) problems.push(missing(document, pointer, 'prompt_text', named));
    return (prompt?.['text'] ?? '') as string;
  };
  const nodes = authored.nodes.map((node, index) => withTexts(node, `/nodes/${index}`, toText));
  return {
    workflow: { ...authored, nodes },
    problems,
    place: (problem) => {
      const named = problem.document.hash === document.hash ? hashes.get(problem.pointer) : undefined;
      if (named === undefined || problem.code === 'COMPONENT_MISSING') return problem;
      return { ...problem, pointer: '/text', document: { kind: 'prompt_text', hash: named } };
    },
  };
}

type MessageContent = PromptMessage['content'];

function withTexts(
  node: AuthoredNode,
  pointer: string,
  toText: (content: MessageContent, pointer: string) => string,
): AuthoredNode {
  if (!('prompt_template' in node)) return node;
  const fill = (prompt: PlacedPrompt) => ({
    messages: prompt.messages.map((message, index) => ({
      ...message,
      content: toText(message.content, `${pointer}${messagePointer(prompt, index)}`),
    })),
  });
  const [prompt_template = node.prompt_template, judged_by] = promptsOf(node).map(fill);
  const gate = node.gate && judged_by && { ...node.gate, prompt_template: judged_by };
  return { ...node, prompt_template, ...present({ gate }) };
}
