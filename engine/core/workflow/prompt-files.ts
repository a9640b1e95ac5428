import type { JsonObject } from '../../contract/json.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { type CompileParts, hashOf, missing } from './compile-parts.js';
import type { DocumentProblem } from '../protocol/document-problem.js';
import type { AuthoredNode } from './node-edges.js';

/** A workflow that holds the text of every prompt itself. */
export interface WithPrompts {
  readonly workflow: CognitionWorkflow;
  /** Prompts that are not there. */
  readonly problems: readonly DocumentProblem[];
  /** Moves a problem with a message into the document that holds its text. */
  readonly place: (problem: DocumentProblem) => DocumentProblem;
}

/** Puts the texts of prompts that are documents of their own into the workflow that names them. */
export function withPrompts(
  { find }: Pick<CompileParts, 'find'>,
  hash: string,
  authored: CognitionWorkflow,
): WithPrompts {
  const document = { kind: 'cognition_workflow', hash } as const;
  const hashes = new Map<string, string>();
  const problems: DocumentProblem[] = [];
  const toText = (content: MessageContent, pointer: string): string => {
    if (typeof content === 'string') return content;
    const named = hashOf(content);
    const prompt = find('prompt_text', named);
    hashes.set(pointer, named);
    if (prompt === undefined) problems.push(missing(document, pointer, 'prompt_text', named));
    return prompt === undefined ? '' : promptText(prompt);
  };
  const nodes = authored.nodes.map((node, index) => withTexts(node, `/nodes/${index}`, toText));
  return {
    workflow: { ...authored, nodes },
    problems,
    place: (problem) => {
      const named = problem.document.hash === hash ? hashes.get(problem.pointer) : undefined;
      if (named === undefined || problem.code === 'COMPONENT_MISSING') return problem;
      return { ...problem, pointer: '/text', document: { kind: 'prompt_text', hash: named } };
    },
  };
}

type GenerationNode = Exclude<AuthoredNode, { readonly type: 'source_call' }>;
type MessageContent = GenerationNode['prompt_template']['messages'][number]['content'];

function withTexts(
  node: AuthoredNode,
  pointer: string,
  toText: (content: MessageContent, pointer: string) => string,
): AuthoredNode {
  if (node.type === 'source_call') return node;
  const messages = node.prompt_template.messages.map((message, index) => ({
    ...message,
    content: toText(message.content, `${pointer}/prompt_template/messages/${index}/content`),
  }));
  return { ...node, prompt_template: { messages } };
}

function promptText(document: JsonObject): string {
  return document['text'] as string;
}
