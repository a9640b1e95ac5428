import { type Problem, problem } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { checkPromptReads, checkTemplate } from '../binding/check-reads.js';
import type { SchemaParts } from '../binding/typed-schemas.js';
import { nodeTypeOf, typesEndingInPatch } from '../nodes/index.js';
import type { AuthoredNode } from '../nodes/node-type.js';
import { edgesOf, referencesOf } from '../nodes/references.js';
import { complainIf, complainOfTwins } from '../protocol/document-problem.js';
import type { Reader } from '../typing/join-readings.js';
import { checkReach } from './check-reach.js';
import { checkRemember } from './check-remember.js';
import { findChain } from './link/order.js';

/** Checks of a workflow's nodes beyond the schema: names, paths, circles, and the patch that is applied. */
export function checkNodes(
  parts: SchemaParts,
  workflow: CognitionWorkflow,
  readers: readonly Reader[],
): readonly Problem[] {
  return [
    ...checkNodeIds(workflow),
    ...workflow.nodes.flatMap((node, index) => checkNode(parts, node, `/nodes/${index}`, readers)),
    ...checkCycles(workflow),
    ...checkApply(workflow),
    ...checkRemember(workflow, readers),
    ...checkReach(workflow),
  ];
}

function checkNode(
  parts: SchemaParts,
  node: AuthoredNode,
  pointer: string,
  readers: readonly Reader[],
): readonly Problem[] {
  const type = nodeTypeOf(node);
  return [
    ...checkTemplate(type.requestTemplate(node) ?? null, `${pointer}/request_template`, readers),
    ...checkPromptReads(type.prompts(node), pointer, readers),
    ...type.check(parts, node, pointer, readers),
  ];
}

function checkNodeIds({ nodes }: CognitionWorkflow): readonly Problem[] {
  const ids = nodes.map(({ id }) => id);
  const reserved = ids.flatMap((id, index) =>
    complainIf(id === 'ambient', problem('NODE_ID_RESERVED', undefined, { pointer: `/nodes/${index}/id` })),
  );
  return [...reserved, ...complainOfTwins('NODE_ID_TWICE', ids, (index) => `/nodes/${index}/id`)];
}

/** Each circle once, at a reference that closes it. */
function checkCycles({ nodes }: CognitionWorkflow): readonly Problem[] {
  const graph = new Map(nodes.map((node) => [node.id, edgesOf(nodeTypeOf(node), node)]));
  const reported = new Set<string>();
  return nodes.flatMap((node, index) => {
    const circles = referencesOf(nodeTypeOf(node), node).map((read) => ({
      ...read,
      way: findChain(graph, read.to, node.id),
    }));
    const circle = circles.find(({ way }) => way !== undefined);
    if (circle?.way === undefined || reported.has(node.id)) return [];
    for (const id of circle.way) reported.add(id);
    const { offset, pointer, way } = circle;
    const place = { pointer: `/nodes/${index}${pointer}`, ...present({ offset }) };
    return [problem('NODES_CYCLE', { id: node.id, way }, place)];
  });
}

function checkApply({ nodes, apply }: CognitionWorkflow): readonly Problem[] {
  const types = typesEndingInPatch().join(' or ');
  const ending = nodes.filter((node) => nodeTypeOf(node).ends_in_patch);
  const [first] = ending;
  if (ending.length > 1) return [problem('TOOL_LOOPS_SEVERAL', { types }, { pointer: '/nodes' })];
  if (apply === undefined) return first === undefined ? [] : [problem('APPLY_MISSING', first, { pointer: '' })];
  const from = apply.from.slice(0, -'.final'.length);
  const unknown = problem('APPLY_FROM_UNKNOWN', { types, from, id: first?.id }, { pointer: '/apply/from' });
  return complainIf(first?.id !== from, unknown);
}
