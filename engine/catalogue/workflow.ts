import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import { MAX_SPECULATIVE } from '../core/protocol/program.js';
import type { CognitionWorkflow, PatchReach, PromptMessage, PromptTemplate } from '../generated/workflow.js';
import type { WorkflowPage } from '../operations/browse/documents.js';
import {
  aboutOthers,
  type Blocks,
  code,
  facts,
  faint,
  folded,
  json,
  linkTo,
  list,
  note,
  picture,
  prompt,
  section,
  strong,
  type ViewSection,
} from './view.js';
import { words } from './words.js';

type Node = CognitionWorkflow['nodes'][number];

/** What a workflow does: its graph, each node with its prompts, and the attempts that ran it. */
export function workflowSections(shown: WorkflowPage): readonly ViewSection[] {
  const workflow = withPrompts(shown);
  const { nodes, ambient_sources, apply } = workflow;
  return [
    section('graph', 'How it runs', note(howSubjectsRun(workflow)), picture({ of: 'workflow', shown: workflow })),
    ...nodes.map((node) => section(`node-${node.id}`, `Node ${node.id}`, drawNode(shown, node))),
    section(
      'ambients',
      'What runs by itself',
      list(
        ambient_sources.map((source) => [
          note(code(source.id), faint(` ${words(source.run)}`)),
          folded('How it is asked', json(source as unknown as Json, undefined, shown.refers_to)),
        ]),
        ambient_sources.map(({ id }) => `ambient-${id}`),
      ),
    ),
    section(
      'apply',
      'What is applied',
      apply === undefined
        ? note('Nothing: its subjects only answer.')
        : note('The patch of ', code(apply.from), ', and nothing else, changes the world.'),
    ),
    aboutOthers('choice', 'Prompts of which attempt', listAttempts(shown)),
  ];
}

function howSubjectsRun({ execution, max_speculative }: CognitionWorkflow): string {
  if (execution === 'per_subject_ordered') return 'Its subjects run one after the other.';
  return `Its subjects run concurrently; ${max_speculative ?? MAX_SPECULATIVE} runs of each may ask before those before it are done.`;
}

/** The workflow with the texts of its prompt files in place. */
function withPrompts({ content, prompts }: WorkflowPage): CognitionWorkflow {
  const workflow = content as unknown as CognitionWorkflow;
  const fill = ({ messages }: PromptTemplate): PromptTemplate => ({
    messages: messages.map((message) => ({ ...message, content: textOf(message.content, prompts) })),
  });
  const nodes = workflow.nodes.map((node) => {
    if (!('prompt_template' in node)) return node;
    const gate = node.gate && { ...node.gate, prompt_template: fill(node.gate.prompt_template) };
    return { ...node, prompt_template: fill(node.prompt_template), ...present({ gate }) };
  });
  return { ...workflow, nodes };
}

function textOf(content: PromptMessage['content'], prompts: Readonly<Record<string, string>> = {}): string {
  if (typeof content === 'string') return content;
  return 'hash' in content ? (prompts[content.hash] ?? '') : '';
}

function drawNode({ refers_to, chosen }: WorkflowPage, node: Node): Blocks {
  if (!('prompt_template' in node))
    return [facts({ does: 'calls its source once' }), json(node.request_template, undefined, refers_to)];
  const { events, scope, memory, own_turns } = node.projection;
  const tools = 'available_tools' in node ? node.available_tools : [];
  const { retrieve, pinned } = memory;
  const found = retrieve === undefined ? '' : `, ${retrieve.top} memories that a query finds`;
  const given = pinned === true ? ', those of the scenario' : '';
  const happened = events === undefined ? '' : `, events of ${events.turns} turns`;
  const own = own_turns === undefined ? '' : `, its own ${own_turns} turns`;
  const resolved = (chosen?.resolved ?? []).flatMap(({ workflow_node_id, ...sent }, at) =>
    workflow_node_id === node.id ? [{ ...sent, at }] : [],
  );
  return [
    facts({
      does: 'available_tools' in node ? 'asks a model until it gives a patch' : 'asks a model for one answer',
      sees: `${words(scope)}, ${memory.recent} memories${given}${found}${happened}${own}`,
      'may change': 'available_tools' in node ? reachOf(node.may) : null,
      fallback: node.fallback === undefined ? null : `another source, after ${node.fallback.on.join(', ')}`,
      gate: node.gate === undefined ? null : 'a second model judges each answer before it counts',
      'tries at one answer': node.max_generation_attempts ?? null,
      'token budget': node.constraints.token_budget ?? null,
    }),
    tools.length > 0 && note(strong('Tools that the model may call')),
    list(
      tools.map(({ name, description, effect }) => [note(code(name), faint(` ${words(effect)} `), description)]),
      tools.map(({ name }) => `tool-${name}`),
    ),
    // The document has them, too: a program reads them there.
    picture({
      of: 'blocks',
      shown: [
        note(strong('Its prompt')),
        authored(node.prompt_template),
        node.gate !== undefined && [note(strong('The prompt of its gate')), authored(node.gate.prompt_template)],
        ...resolved.map(({ workflow_subject_entity_id: subject, llm_call_id, messages, at }, index) => ({
          ...folded(`for ${subject}, as it was sent`, note(linkTo('llm_call', llm_call_id, 'the whole call')), {
            block: 'conversation',
            messages,
            pointer: `/chosen/resolved/${at}/messages`,
          }),
          is_open: index === 0,
        })),
      ],
    }),
  ];
}

/** @param prompt with its texts */
function authored({ messages }: PromptTemplate): Blocks {
  return messages.map(({ role, content }) => folded(`${role}, as it was written`, prompt(textOf(content))));
}

/** The values that patches of a node may change; a member that is left out allows any. */
function reachOf({ state = 'any', memory = 'any', environment = 'any' }: PatchReach = {}): string {
  return `states of ${state}, memories of ${memory}, environments: ${environment}`;
}

/** The attempts whose prompts can be shown above; consumers are shown none. */
function listAttempts({ attempts, chosen }: WorkflowPage): Blocks {
  if (chosen === null) return [];
  return [
    list(
      attempts.map(({ attempt_id, world_slug, attempted_turn }) => {
        const text = `as sent in turn ${attempted_turn} of ${world_slug}`;
        const isShown = attempt_id === chosen.attempt_id;
        return [note(isShown ? strong(text) : { path: `?attempt=${attempt_id}`, command: [], text })];
      }),
    ),
  ];
}
