import type { CognitionWorkflow } from '../../generated/workflow.js';
import { pointerTokens } from '../content/json-pointer.js';
import { nodesReadBy, parsePromptText } from '../prompt/template.js';
import { listReads } from './request-template.js';

/** A node as its author wrote it. */
export type AuthoredNode = CognitionWorkflow['nodes'][number];

/** Edges are references: a node runs after those whose outputs it reads. */
export function edgesOf(node: AuthoredNode): readonly string[] {
  if (node.type === 'source_call') {
    return listReads(node.request_template).flatMap((read) => {
      const [root, id = ''] = pointerTokens(read.from);
      return root === 'nodes' ? [id] : [];
    });
  }
  return nodesReadBy({
    messages: node.prompt_template.messages.map((message) => ({
      role: message.role,
      parts: parsePromptText(message.content).parts,
    })),
  });
}
