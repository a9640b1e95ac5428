import type { CognitionWorkflow, LlmToolLoopNode } from '../../generated/workflow.js';
import { checkTemplate } from './check-ambients.js';
import type { Complaint } from '../protocol/document-problem.js';
import { findChain } from './link/order.js';
import { type AuthoredNode, edgesOf, referencesOf } from './node-edges.js';

/** What a workflow's nodes say that the schema cannot check: names, circles, and whose patch is applied. */
export function checkNodes(workflow: CognitionWorkflow): readonly Complaint[] {
  return [
    ...workflow.nodes.flatMap((node, index) => [
      ...checkNodeId(workflow, node, index),
      ...(node.type === 'llm_tool_loop' ? checkToolNames(node, `/nodes/${index}`) : []),
      ...(node.type === 'source_call'
        ? checkTemplate(node.request_template, `/nodes/${index}/request_template`, [
            'world',
            'subject',
            'ambient',
            'nodes',
          ])
        : []),
    ]),
    ...checkCycles(workflow),
    ...checkApply(workflow),
  ];
}

function checkNodeId(workflow: CognitionWorkflow, node: AuthoredNode, index: number): readonly Complaint[] {
  const pointer = `/nodes/${index}/id`;
  if (node.id === 'ambient')
    return [
      {
        code: 'NODE_ID_RESERVED',
        message: '"ambient" is not a node id: calls of ambient sources are recorded under it.',
        pointer,
        repair: 'Choose another id.',
      },
    ];
  if (workflow.nodes.findIndex((candidate) => candidate.id === node.id) === index) return [];
  return [
    {
      code: 'NODE_ID_TWICE',
      message: `The node ${node.id} stands here a second time.`,
      pointer,
      repair: 'Give each node an id of its own.',
    },
  ];
}

function checkToolNames(node: LlmToolLoopNode, pointer: string): readonly Complaint[] {
  return node.available_tools.flatMap((tool, index) => {
    const place = `${pointer}/available_tools/${index}/name`;
    const twice = node.available_tools.findIndex((candidate) => candidate.name === tool.name) < index;
    return twice
      ? [
          {
            code: 'TOOL_NAME_TWICE',
            message: `The tool ${tool.name} stands here a second time.`,
            pointer: place,
            repair: 'Give each tool of a node a name of its own.',
          },
        ]
      : [];
  });
}

/** Each circle once, at a reference that closes it. */
function checkCycles({ nodes }: CognitionWorkflow): readonly Complaint[] {
  const graph = new Map(nodes.map((node) => [node.id, edgesOf(node)]));
  const told = new Set<string>();
  return nodes.flatMap((node, index) => {
    const circles = referencesOf(node).map((read) => ({ ...read, way: findChain(graph, read.to, node.id) }));
    const circle = circles.find(({ way }) => way !== undefined);
    if (circle?.way === undefined || told.has(node.id)) return [];
    for (const id of circle.way) told.add(id);
    const { offset, pointer, way } = circle;
    return [{ ...nodesCycle(node.id, way, `/nodes/${index}${pointer}`), ...(offset === undefined ? {} : { offset }) }];
  });
}

function nodesCycle(id: string, way: readonly string[], pointer: string): Complaint {
  const message =
    way.length === 1
      ? `${id} reads its own output, for which it would wait forever.`
      : `${[id, ...way].join(' waits for ')}: none of them can begin.`;
  return {
    code: 'NODES_CYCLE',
    message,
    pointer,
    repair:
      way.length === 1 ? 'Take the reference away.' : `Take this reference to ${way[0]} away, or another of them.`,
  };
}

function checkApply(workflow: CognitionWorkflow): readonly Complaint[] {
  const loops = workflow.nodes.filter((node) => node.type === 'llm_tool_loop');
  const from = workflow.apply.from.slice(0, -'.final'.length);
  const [first] = loops;
  if (loops.length > 1)
    return [
      {
        code: 'TOOL_LOOPS_SEVERAL',
        message: 'A workflow has one llm_tool_loop, whose final patch is applied; this one has several.',
        pointer: '/nodes',
        repair: 'Make the others llm_json nodes.',
      },
    ];
  if (first !== undefined && first.id === from) return [];
  const repair =
    first === undefined
      ? 'Add an llm_tool_loop node: only it ends in a patch.'
      : `Write ${JSON.stringify(`${first.id}.final`)}.`;
  return [
    {
      code: 'APPLY_FROM_UNKNOWN',
      message: `No llm_tool_loop node is called ${JSON.stringify(from)}.`,
      pointer: '/apply/from',
      repair,
    },
  ];
}
