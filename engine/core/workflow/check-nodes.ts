import type { CognitionWorkflow, LlmToolLoopNode } from '../../generated/workflow.js';
import { pointerTokens } from '../content/json-pointer.js';
import { nodesReadBy, parsePromptText } from '../prompt/template.js';
import { suggestName } from '../content/nearest-name.js';
import { checkTemplate } from './check-ambients.js';
import type { Complaint } from './document-problem.js';
import { listReads } from './request-template.js';

type AuthoredNode = CognitionWorkflow['nodes'][number];

/** What a workflow's nodes say that the schema cannot check: names, edges, and whose patch is applied. */
export function checkNodes(workflow: CognitionWorkflow): readonly Complaint[] {
  return [
    ...workflow.nodes.flatMap((node, index) => [
      ...checkNodeId(workflow, node, index),
      ...checkEdges(workflow, node, `/nodes/${index}`),
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
    return [
      ...(twice
        ? [
            {
              code: 'TOOL_NAME_TWICE',
              message: `The tool ${tool.name} stands here a second time.`,
              pointer: place,
              repair: 'Give each tool of a node a name of its own.',
            },
          ]
        : []),
      ...(tool.name.startsWith('core__')
        ? [
            {
              code: 'TOOL_NAME_RESERVED',
              message: `${tool.name} begins with core__, which is reserved.`,
              pointer: place,
              repair: 'Choose a name without the prefix.',
            },
          ]
        : []),
    ];
  });
}

/** Edges are references: a node runs after those whose outputs it reads. */
function edgesOf(node: AuthoredNode): readonly string[] {
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

function checkEdges(workflow: CognitionWorkflow, node: AuthoredNode, pointer: string): readonly Complaint[] {
  const ids = workflow.nodes.map((candidate) => candidate.id);
  return [...new Set(edgesOf(node))]
    .filter((id) => !ids.includes(id))
    .map((id) => ({
      code: 'NODE_UNKNOWN',
      message: `${node.id} reads the output of ${JSON.stringify(id)}, and there is no such node.`,
      pointer,
      repair: suggestName(id, ids),
    }));
}

function checkCycles(workflow: CognitionWorkflow): readonly Complaint[] {
  const finished = new Set<string>();
  let rest = workflow.nodes.map((node) => ({ id: node.id, after: edgesOf(node) }));
  for (;;) {
    const ready = rest.filter((node) =>
      node.after.every((id) => finished.has(id) || !rest.some((other) => other.id === id)),
    );
    if (ready.length === 0) break;
    for (const node of ready) finished.add(node.id);
    rest = rest.filter((node) => !finished.has(node.id));
  }
  if (rest.length === 0) return [];
  const names = rest.map((node) => node.id).join(', ');
  return [
    {
      code: 'NODES_CYCLE',
      message: `These nodes wait for each other: ${names}.`,
      pointer: '/nodes',
      repair: 'Take one of the references away.',
    },
  ];
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
