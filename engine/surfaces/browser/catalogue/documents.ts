import * as declared from '../../../catalogue/resources/documents.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../../core/protocol/component.js';
import { MAX_SPECULATIVE } from '../../../core/protocol/program.js';
import type { CognitionWorkflow, PatchReach } from '../../../generated/workflow.js';
import type { DocumentPage, WorkflowPage } from '../../../operations/browse/documents.js';
import type { ListedAttempt } from '../../../ports/browse.js';
import type { ComponentSummary, ComponentUses } from '../../../ports/components.js';
import { type Html, html, NOTHING } from '../html.js';
import { listPage, emptyState, itemPage, type Page, type Section, type View } from '../page.js';
import { authoredPrompt, conversation, copyable } from '../parts/conversation.js';
import { payload } from '../parts/payload.js';
import { type Columns, facts, numbers, table } from '../parts/table.js';
import { linkTo, moment, status, words } from '../parts/text.js';
import { workflowGraph } from '../pictures/workflow-graph.js';
import { pathOfList, PLACES } from '../../../catalogue/places.js';
import { listedColumns } from './calls.js';
import { took } from './overview.js';

/** The list, the document and its uses, of each kind of document. */
export const documentPages: readonly Page[] = COMPONENT_KINDS.flatMap((kind) => [
  listOf(kind),
  documentOf(kind),
  usesOf(kind),
]);

function listOf(kind: ComponentKind): Page {
  const { noun, nouns } = PLACES[kind];
  return listPage(declared.documentList(kind), {
    about: () => ({ title: titleCase(nouns), eyebrow: 'Documents' }),
    order: 'By label',
    columns: {
      Label: ({ hash, label }) => linkTo(kind, hash, label ?? undefined),
      Hash: ({ hash }) => linkTo(kind, hash),
      'Stored (UTC)': ({ created_at }) => moment(created_at),
    },
    empty: emptyState(`No ${noun} is stored. Check and store documents:`, 'npx chukwa put PATH'),
  });
}

function documentOf(kind: ComponentKind): Page {
  return kind === 'cognition_workflow'
    ? itemPage(declared.cognitionWorkflow, { view: viewWorkflow })
    : itemPage(declared.documentOf(kind), { view: (document): View => viewDocument(document, []) });
}

function usesOf(kind: ComponentKind): Page {
  const { noun } = PLACES[kind];
  return itemPage(declared.documentUses(kind), {
    view: (uses): View => ({
      title: `Uses of ${uses.label ?? noun}`,
      eyebrow: titleCase(noun),
      trail: [{ path: `${pathOfList(kind)}/hash/${uses.hash}`, text: uses.label ?? 'the document' }],
      sections: useSections(uses),
    }),
  });
}

function viewDocument(document: DocumentPage, before: readonly Section[]): View {
  const { kind, hash, content, refers_to, calls, attempts } = document;
  const { label, title, description, text } = content;
  return {
    title: [label, title].find((name) => typeof name === 'string')?.toString() ?? titleCase(PLACES[kind].noun),
    eyebrow: titleCase(PLACES[kind].noun),
    trail: [{ path: pathOfList(kind), text: titleCase(PLACES[kind].nouns) }],
    ...(typeof description === 'string' ? { lede: html`${description}` } : {}),
    sections: [
      ...before,
      { id: 'text', title: 'Text', body: typeof text === 'string' && authoredPrompt(text) },
      ...useSections(document),
      {
        id: 'calls',
        title: 'The latest calls',
        is_about_others: true,
        body: calls.length > 0 && table('Calls', listedColumns, calls),
      },
      {
        id: 'attempts',
        title: 'The latest attempts that asked it',
        is_about_others: true,
        body: kind === 'response_source' && attempts.length > 0 && table('Attempts', attemptColumns, attempts),
      },
      {
        id: 'content',
        title: 'As it is stored',
        body: html`${facts([['SHA-256', html`<code>${hash}</code>`]])}<details${before.length === 0 ? html` open` : NOTHING}><summary>The canonical form</summary>${copyable('/content', payload(content, refers_to))}</details>`,
      },
    ],
  };
}

/** How many worlds, and documents, that use one document a page shows. */
const USES_SHOWN = 100;

function useSections({
  hash,
  refers_to,
  used_by,
  worlds,
}: ComponentUses & { readonly hash: string }): readonly Section[] {
  return [
    {
      id: 'worlds',
      title: 'Worlds that run by it',
      is_about_others: true,
      body:
        worlds.length > 0 &&
        html`<ul class="plain">${worlds.slice(0, USES_SHOWN).map((slug) => html`<li>${linkTo('world', slug)}</li>`)}</ul>${worlds.length > USES_SHOWN ? html`<p class="more"><a href="/worlds?scenario=${hash}">All ${worlds.length}</a></p>` : undefined}`,
    },
    {
      id: 'used-by',
      title: 'What names it',
      is_about_others: true,
      body:
        used_by.length + worlds.length > 0
          ? used_by.length > 0 && table('What names it', componentColumns, used_by.slice(0, USES_SHOWN))
          : emptyState('No stored document names it.'),
    },
    {
      id: 'refers-to',
      title: 'What it names',
      body: refers_to.length > 0 && table('What it names', componentColumns, refers_to),
    },
  ];
}

const componentColumns: Columns<ComponentSummary> = {
  Kind: ({ kind }) => PLACES[kind].noun,
  Label: ({ kind, hash, label }) => linkTo(kind, hash, label ?? undefined),
  Hash: ({ kind, hash }) => linkTo(kind, hash),
};

function viewWorkflow(shown: WorkflowPage): View {
  const workflow = withPrompts(shown);
  return viewDocument(shown, [
    { id: 'graph', title: 'How it runs', body: html`<p>${howSubjectsRun(workflow)}</p>${workflowGraph(workflow)}` },
    ...workflow.nodes.map((node) => nodeSection(shown, node)),
    ambientSection(shown, workflow),
    {
      id: 'apply',
      title: 'What is applied',
      body: html`<p>The patch of <code>${workflow.apply.from}</code>, and nothing else, changes the world.</p>`,
    },
    { id: 'attempts', title: 'Attempts that ran it', is_about_others: true, body: attemptChoice(shown) },
  ]);
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
    const messages = node.prompt_template.messages.map((message) => ({
      ...message,
      content: textOf(message.content, prompts),
    }));
    return { ...node, prompt_template: { messages } };
  });
  return { ...workflow, nodes };
}

type Content = Extract<
  CognitionWorkflow['nodes'][number],
  { type: 'llm_json' }
>['prompt_template']['messages'][number]['content'];

function textOf(content: Content, prompts: Readonly<Record<string, string>>): string {
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
      ['Tries at one answer', node.max_generation_attempts],
      ['Token budget', node.constraints.token_budget],
    ])}
${tools.length === 0 ? undefined : html`<h3>Tools that the model may call</h3><ul class="plain">${tools.map(({ name, description, effect }) => html`<li id="tool-${name}"><code>${name}</code> <span class="dim">${words(effect)}</span> ${description}</li>`)}</ul>`}
<h3>Its prompt</h3>${node.prompt_template.messages.map(({ role, content }) => html`<details><summary>${role}, as it was written</summary>${authoredPrompt(textOf(content, shown.prompts))}</details>`)}
${resolved.map(({ workflow_subject_entity_id, llm_call_id, messages }, index) => html`<details${index === 0 ? html` open` : NOTHING}><summary>for <strong>${workflow_subject_entity_id}</strong>, as it was sent</summary><p class="blame">${linkTo('llm_call', llm_call_id, 'the whole call')}</p>${conversation(messages, `/chosen/resolved/${shown.chosen?.resolved.findIndex((one) => one.llm_call_id === llm_call_id)}/messages`)}</details>`)}`,
  };
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

const attemptColumns: Columns<ListedAttempt> = {
  Attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
  World: ({ world_slug }) => linkTo('world', world_slug),
  Turn: numbers(({ attempted_turn }) => attempted_turn),
  State: (row) => status(row.status),
  Took: numbers(took),
};

function attemptChoice({ attempts, chosen }: WorkflowPage): Html {
  const choice: Columns<ListedAttempt> = {
    'Prompts above': ({ attempt_id }) =>
      attempt_id === chosen?.attempt_id
        ? html`<strong>as sent in this one</strong>`
        : html`<a href="?attempt=${attempt_id}">show as sent in this one</a>`,
  };
  const columns = chosen === null ? attemptColumns : { ...attemptColumns, ...choice };
  return table('Attempts that ran it', columns, attempts, emptyState('No attempt has run it yet.'));
}

function titleCase(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
