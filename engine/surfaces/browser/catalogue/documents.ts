import { MAX_SPECULATIVE } from '../../../core/protocol/program.js';
import { present } from '../../../contract/present.js';
import type { CognitionWorkflow, PatchReach, PromptMessage, PromptTemplate } from '../../../generated/workflow.js';
import type { WorkflowPage } from '../../../operations/browse/documents.js';
import { type Html, html, NOTHING } from '../html.js';
import { type Section } from '../page.js';
import { authoredPrompt, conversation } from '../parts/conversation.js';
import { payload } from '../parts/payload.js';
import { facts } from '../parts/table.js';
import { linkTo, words } from '../parts/text.js';
import { workflowGraph } from '../pictures/workflow-graph.js';

/** What a workflow does: its graph, each node with its prompts, and the attempts that ran it. */
export function workflowSections(shown: WorkflowPage): readonly Section[] {
  const workflow = withPrompts(shown);
  return [
    { id: 'graph', title: 'How it runs', body: html`<p>${howSubjectsRun(workflow)}</p>${workflowGraph(workflow)}` },
    ...workflow.nodes.map((node) => nodeSection(shown, node)),
    ambientSection(shown, workflow),
    {
      id: 'apply',
      title: 'What is applied',
      body: html`<p>The patch of <code>${workflow.apply.from}</code>, and nothing else, changes the world.</p>`,
    },
    { id: 'choice', title: 'Prompts of which attempt', is_about_others: true, body: attemptChoice(shown) },
  ];
}

function howSubjectsRun({ execution, max_speculative }: CognitionWorkflow): string {
  if (execution === 'per_subject_ordered') return 'Its subjects run one after the other.';
  return `Its subjects run concurrently; ${max_speculative ?? MAX_SPECULATIVE} runs of each may ask before those before it are done.`;
}

/** The workflow with the texts of its prompt files in place. */
function withPrompts({ content, prompts }: WorkflowPage): CognitionWorkflow {
  const workflow = content as unknown as CognitionWorkflow;
  const nodes = workflow.nodes.map((node) => {
    if (!('prompt_template' in node)) return node;
    const fill = ({ messages }: PromptTemplate): PromptTemplate => ({
      messages: messages.map((message) => ({ ...message, content: textOf(message.content, prompts) })),
    });
    const gate = node.gate && { ...node.gate, prompt_template: fill(node.gate.prompt_template) };
    return { ...node, prompt_template: fill(node.prompt_template), ...present({ gate }) };
  });
  return { ...workflow, nodes };
}

function textOf(content: PromptMessage['content'], prompts: Readonly<Record<string, string>>): string {
  if (typeof content === 'string') return content;
  return 'hash' in content ? (prompts[content.hash] ?? '') : '';
}

function nodeSection(shown: WorkflowPage, node: CognitionWorkflow['nodes'][number]): Section {
  const title = `Node ${node.id}`;
  if (!('prompt_template' in node))
    return {
      id: `node-${node.id}`,
      title,
      body: html`${facts([['Does', 'calls its source once']])}${payload(node.request_template, shown.refers_to)}`,
    };
  const resolved = (shown.chosen?.resolved ?? []).filter(({ workflow_node_id }) => workflow_node_id === node.id);
  const tools = 'available_tools' in node ? node.available_tools : [];
  return {
    id: `node-${node.id}`,
    title,
    body: html`${facts([
      ['Does', 'available_tools' in node ? 'asks a model until it gives a patch' : 'asks a model for one answer'],
      [
        'Sees',
        `${words(node.projection.scope)}, ${node.projection.memory.recent} memories${node.projection.events === undefined ? '' : `, events of ${node.projection.events.turns} turns`}`,
      ],
      ['May change', 'available_tools' in node ? reachOf(node.may) : undefined],
      ['Fallback', node.fallback && `another source, after ${node.fallback.on.join(', ')}`],
      ['Gate', node.gate && 'a second model judges each answer before it counts'],
      ['Tries at one answer', node.max_generation_attempts],
      ['Token budget', node.constraints.token_budget],
    ])}
${tools.length === 0 ? undefined : html`<h3>Tools that the model may call</h3><ul class="plain">${tools.map(({ name, description, effect }) => html`<li id="tool-${name}"><code>${name}</code> <span class="dim">${words(effect)}</span> ${description}</li>`)}</ul>`}
<h3>Its prompt</h3>${authoredMessages(node.prompt_template)}
${node.gate && html`<h3>The prompt of its gate</h3>${authoredMessages(node.gate.prompt_template)}`}
${resolved.map(({ workflow_subject_entity_id, llm_call_id, messages }, index) => html`<details${index === 0 ? html` open` : NOTHING}><summary>for <strong>${workflow_subject_entity_id}</strong>, as it was sent</summary><p class="blame">${linkTo('llm_call', llm_call_id, 'the whole call')}</p>${conversation(messages, `/chosen/resolved/${shown.chosen?.resolved.findIndex((one) => one.llm_call_id === llm_call_id)}/messages`)}</details>`)}`,
  };
}

/** @param prompt with its texts */
function authoredMessages({ messages }: PromptTemplate): readonly Html[] {
  return messages.map(
    ({ role, content }) =>
      html`<details><summary>${role}, as it was written</summary>${authoredPrompt(textOf(content, {}))}</details>`,
  );
}

/** The values that patches of a node may change; a member that is left out allows any. */
function reachOf(may: PatchReach = {}): string {
  const { state = 'any', memory = 'any', environment = 'any' } = may;
  return `states of ${state}, memories of ${memory}, environments: ${environment}`;
}

function ambientSection({ refers_to }: WorkflowPage, { ambient_sources }: CognitionWorkflow): Section {
  return {
    id: 'ambients',
    title: 'What runs by itself',
    body:
      ambient_sources.length > 0 &&
      html`${ambient_sources.map((source) => html`<section id="ambient-${source.id}" aria-label="${source.id}"><h3><code>${source.id}</code> <span class="dim">${words(source.run)}</span></h3><details><summary>How it is asked</summary>${payload(source, refers_to)}</details></section>`)}`,
  };
}

/** The attempts whose prompts can be shown above; consumers are shown none. */
function attemptChoice({ attempts, chosen }: WorkflowPage): Html | false {
  return (
    chosen !== null &&
    html`<ul class="plain">${attempts.map(({ attempt_id, world_slug, attempted_turn }) => {
      const name = `turn ${attempted_turn} of ${world_slug}`;
      return html`<li>${attempt_id === chosen.attempt_id ? html`<strong>as sent in ${name}</strong>` : html`<a href="?attempt=${attempt_id}">as sent in ${name}</a>`}</li>`;
    })}</ul>`
  );
}
