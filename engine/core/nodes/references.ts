import { listPlaceholders } from '../binding/prompt-messages.js';
import { pointerTokens } from '../content/json-pointer.js';
import { listReads } from '../protocol/request-template.js';
import type { AuthoredNode, NodeType } from './node-type.js';

/** A place of a node that reads another's output. */
interface NodeReference {
  readonly to: string;
  /** Within the node. */
  readonly pointer: string;
  /** Where it is in the text at the pointer. */
  readonly offset?: number;
}

/** The members of a node type that list what its nodes read. */
type Reading<Authored extends AuthoredNode> = Pick<NodeType<Authored, never, never>, 'prompts' | 'requestTemplate'>;

/** Edges are references: a node runs after those whose outputs it reads. */
export function edgesOf<Authored extends AuthoredNode>(type: Reading<Authored>, node: Authored): readonly string[] {
  return referencesOf(type, node).map(({ to }) => to);
}

/** Where a node reads the outputs of others. */
export function referencesOf<Authored extends AuthoredNode>(
  type: Reading<Authored>,
  node: Authored,
): readonly NodeReference[] {
  const inTemplate = listReads(type.requestTemplate(node) ?? null).flatMap((read) => {
    const [root, id = ''] = pointerTokens(read.from);
    return root === 'nodes' ? [{ to: id, pointer: `/request_template${read.pointer}/$from` }] : [];
  });
  const inPrompt = listPlaceholders(type.prompts(node), 'nodes').map(({ placeholder, pointer, offset }) => ({
    to: placeholder.tokens?.[1] ?? '',
    pointer,
    offset,
  }));
  return [...inTemplate, ...inPrompt];
}
