import { type Problem, problem } from '../../contract/problem.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { nodeTypeOf } from '../nodes/index.js';
import { edgesOf } from '../nodes/references.js';
import { listRemembered } from './check-remember.js';
import { listReached } from './link/order.js';

/**
 * Notes nodes whose output is never used: no patch, no memory and no other node depends on it, directly or by way of others.
 * A call that is made for its effect is meant so, and noted all the same.
 */
export function checkReach(workflow: CognitionWorkflow): readonly Problem[] {
  if (workflow.apply === undefined) return [];
  const applied = workflow.apply.from.slice(0, -'.final'.length);
  if (!workflow.nodes.some(({ id }) => id === applied)) return [];
  const edges = new Map(workflow.nodes.map((node) => [node.id, edgesOf(nodeTypeOf(node), node)]));
  const used = [applied, ...listRemembered(workflow).map(({ node_id }) => node_id)];
  const reaching = new Set(used.flatMap((id) => [...listReached(edges, id)]));
  const read = new Set([...edges.values()].flat());
  return workflow.nodes.flatMap((node, index) => {
    if (reaching.has(node.id)) return [];
    const place = { pointer: `/nodes/${index}` };
    const { id } = node;
    if (read.has(id)) return [problem('NODE_LEADS_NOWHERE', { id, applied }, place)];
    return [problem('OUTPUT_UNUSED', { id, has_effect: 'effect' in node }, place)];
  });
}
