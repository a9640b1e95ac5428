import { present } from '../../contract/present.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { checkPromptReads, checkTemplate } from '../binding/check-reads.js';
import type { SchemaParts } from '../binding/typed-schemas.js';
import { nodeTypeOf, typesEndingInPatch } from '../nodes/index.js';
import type { AuthoredNode } from '../nodes/node-type.js';
import { edgesOf, referencesOf } from '../nodes/references.js';
import { type Complaint, complainIf, complainOfTwins } from '../protocol/document-problem.js';
import type { Reader } from '../typing/join-readings.js';
import { checkReach } from './check-reach.js';
import { findChain } from './link/order.js';

/** Checks of a workflow's nodes beyond the schema: names, paths, circles, and the patch that is applied. */
export function checkNodes(
  parts: SchemaParts,
  workflow: CognitionWorkflow,
  readers: readonly Reader[],
): readonly Complaint[] {
  return [
    ...checkNodeIds(workflow),
    ...workflow.nodes.flatMap((node, index) => checkNode(parts, node, `/nodes/${index}`, readers)),
    ...checkCycles(workflow),
    ...checkApply(workflow),
    ...checkReach(workflow),
  ];
}

function checkNode(
  parts: SchemaParts,
  node: AuthoredNode,
  pointer: string,
  readers: readonly Reader[],
): readonly Complaint[] {
  const type = nodeTypeOf(node);
  return [
    ...checkTemplate(type.requestTemplate(node) ?? null, `${pointer}/request_template`, readers),
    ...checkPromptReads(type.messages(node), pointer, readers),
    ...type.check(parts, node, pointer, readers),
  ];
}

function checkNodeIds({ nodes }: CognitionWorkflow): readonly Complaint[] {
  const ids = nodes.map(({ id }) => id);
  const reserved = ids.flatMap((id, index) =>
    complainIf(id === 'ambient', {
      code: 'NODE_ID_RESERVED',
      message: '"ambient" is not a node id: calls of ambient sources are recorded under it.',
      pointer: `/nodes/${index}/id`,
      repair: 'Choose another id.',
    }),
  );
  return [...reserved, ...complainOfTwins('NODE_ID_TWICE', ids, { pointer: '/nodes', member: 'id', noun: 'node' })];
}

/** Each circle once, at a reference that closes it. */
function checkCycles({ nodes }: CognitionWorkflow): readonly Complaint[] {
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
    return [{ ...nodesCycle(node.id, way, `/nodes/${index}${pointer}`), ...present({ offset }) }];
  });
}

function nodesCycle(id: string, way: readonly string[], pointer: string): Complaint {
  const message =
    way.length === 1
      ? `${id} reads its own output, so it would wait forever.`
      : `${[id, ...way].join(' waits for ')}: none of them can start.`;
  return {
    code: 'NODES_CYCLE',
    message,
    pointer,
    repair: way.length === 1 ? 'Remove the reference.' : `Remove this reference to ${way[0]}, or another of them.`,
  };
}

function checkApply({ nodes, apply }: CognitionWorkflow): readonly Complaint[] {
  const types = typesEndingInPatch().join(' or ');
  const ending = nodes.filter((node) => nodeTypeOf(node).ends_in_patch);
  const from = apply.from.slice(0, -'.final'.length);
  const [first] = ending;
  if (ending.length > 1)
    return [
      {
        code: 'TOOL_LOOPS_SEVERAL',
        message: `A workflow has one ${types}, whose final patch is applied; this one has several.`,
        pointer: '/nodes',
        repair: 'Make the others llm_json nodes.',
      },
    ];
  return complainIf(first?.id !== from, {
    code: 'APPLY_FROM_UNKNOWN',
    message: `No ${types} node is called ${JSON.stringify(from)}.`,
    pointer: '/apply/from',
    repair:
      first === undefined
        ? `Add an ${types} node: only it ends in a patch.`
        : `Write ${JSON.stringify(`${first.id}.final`)}.`,
  });
}
