import type { CognitionWorkflow } from '../../generated/workflow.js';
import { pointerTokens } from '../content/json-pointer.js';
import { parsePromptText } from '../prompt/template.js';
import { textOf } from './compile-parts.js';
import { listReads } from '../protocol/request-template.js';

/** A node as its author wrote it. */
export type AuthoredNode = CognitionWorkflow['nodes'][number];

/** A place of a node that reads another's output. */
export interface NodeReference {
  readonly to: string;
  /** Within the node. */
  readonly pointer: string;
  /** Where it stands in the text at the pointer. */
  readonly offset?: number;
}

/** Edges are references: a node runs after those whose outputs it reads. */
export function edgesOf(node: AuthoredNode): readonly string[] {
  return referencesOf(node).map(({ to }) => to);
}

/** Where a node reads the outputs of others. */
export function referencesOf(node: AuthoredNode): readonly NodeReference[] {
  if (node.type === 'source_call') {
    return listReads(node.request_template).flatMap((read) => {
      const [root, id = ''] = pointerTokens(read.from);
      return root === 'nodes' ? [{ to: id, pointer: `/request_template${read.pointer}/$from` }] : [];
    });
  }
  return node.prompt_template.messages.flatMap(({ content }, index) =>
    parsePromptText(textOf(content)).parts.flatMap((part) =>
      part.kind === 'placeholder' && part.placeholder.reads === 'nodes'
        ? [
            {
              to: part.placeholder.node_id,
              pointer: `/prompt_template/messages/${index}/content`,
              offset: part.offset,
            },
          ]
        : [],
    ),
  );
}
