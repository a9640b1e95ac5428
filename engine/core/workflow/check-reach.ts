import type { CognitionWorkflow } from '../../generated/workflow.js';
import type { Complaint } from '../protocol/document-problem.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { AuthoredNode } from '../nodes/node-type.js';
import { edgesOf } from '../nodes/references.js';
import { listReached } from './link/order.js';

/**
 * Notes nodes whose output is never used: no node reads it, or only nodes that do not lead to the applied patch.
 * A call that is made for its effect is meant so, and noted all the same.
 */
export function checkReach(workflow: CognitionWorkflow): readonly Complaint[] {
  const applied = workflow.apply.from.slice(0, -'.final'.length);
  if (!workflow.nodes.some(({ id }) => id === applied)) return [];
  const edges = new Map(workflow.nodes.map((node) => [node.id, edgesOf(nodeTypeOf(node), node)]));
  const reaching = listReached(edges, applied);
  const read = new Set([...edges.values()].flat());
  return workflow.nodes.flatMap((node, index) => {
    if (reaching.has(node.id)) return [];
    return [read.has(node.id) ? leadsNowhere(node, applied, index) : unused(node, index)];
  });
}

function unused(node: AuthoredNode, index: number): Complaint {
  return {
    code: 'OUTPUT_UNUSED',
    message: `Nothing reads the output of ${node.id}.`,
    pointer: `/nodes/${index}`,
    repair: 'effect' in node ? 'Read it, unless the call is made for its effect.' : 'Read it, or remove it.',
    severity: 'note',
  };
}

function leadsNowhere(node: AuthoredNode, applied: string, index: number): Complaint {
  return {
    code: 'NODE_LEADS_NOWHERE',
    message: `The output of ${node.id} is read, but never by a node on the way to ${applied}, whose patch is applied.`,
    pointer: `/nodes/${index}`,
    repair: `Read it on the way to ${applied}, or remove both nodes.`,
    severity: 'note',
  };
}
