import { attemptCalls } from '../../../catalogue/resources/attempts.js';
import * as declared from '../../../catalogue/resources/calls.js';
import { present } from '../../../contract/present.js';
import { parseJson } from '../../../core/content/parse-json.js';
import type { InvocationRecord, LlmCallRecord } from '../../../ports/records.js';
import type { ListedInvocation, ListedLlmCall } from '../../../ports/browse.js';
import { stateOf } from '../../../core/protocol/work-state.js';
import { type Html, html, NOTHING } from '../html.js';
import { listPage, emptyState, itemPage, type Page, type Section, type View } from '../page.js';
import { drawChunks, conversation, originBar, outputBar, copyable, inTwoViews } from '../parts/conversation.js';
import { payload } from '../parts/payload.js';
import { type Columns, facts, numbers } from '../parts/table.js';
import {
  callWord,
  count,
  cut,
  duration,
  folded,
  linkTo,
  moment,
  outcome,
  runWord,
  status,
  verbatim,
  words,
} from '../parts/text.js';
import { eventsOf } from '../../../catalogue/places.js';
import { callColumns } from './attempts.js';
import { decideCall } from './decisions.js';
import { trailToAttempt, trailToList } from './overview.js';

type Listed = Pick<ListedInvocation, 'world_slug' | 'attempt_id' | 'attempted_turn'>;

const whereColumns: Columns<Listed> = {
  World: ({ world_slug }) => linkTo('world', world_slug),
  Attempt: ({ attempt_id, attempted_turn }) => linkTo('attempt', attempt_id, `turn ${attempted_turn}`),
};

/** A source call in a list of many attempts. */
export const listedColumns: Columns<ListedInvocation> = {
  Call: ({ source_invocation_id, command_key }) =>
    html`<code>${linkTo('source_invocation', source_invocation_id, command_key)}</code>`,
  State: (row) => status(stateOf(row)),
  Took: numbers(({ duration_ms }) => duration(duration_ms)),
  Kind: callWord,
  Prompt: ({ llm_call_id }) => linkTo('llm_call', llm_call_id, 'prompt'),
  ...whereColumns,
  'Began (UTC)': ({ started_at }) => moment(started_at),
};

const llmColumns: Columns<ListedLlmCall> = {
  'Prompt of': ({ llm_call_id, workflow_subject_entity_id }) =>
    linkTo('llm_call', llm_call_id, workflow_subject_entity_id),
  Answer: ({ model_output_kind }) => words(model_output_kind),
  State: (row) => status(stateOf(row)),
  'Tokens in': numbers(({ input_tokens }) => count(input_tokens)),
  out: numbers(({ output_tokens }) => count(output_tokens)),
  Node: ({ workflow_node_id }) => workflow_node_id,
  Model: ({ model }) => model ?? '',
  ...whereColumns,
  'Began (UTC)': ({ started_at }) => moment(started_at),
};

const NO_CALLS = emptyState('No call has been made yet. Three turns make some:', 'npx chukwa park');

export const invocationList: Page = listPage(declared.invocationList, {
  about: () => ({ title: 'Source invocations' }),
  order: 'The latest first',
  columns: listedColumns,
  empty: NO_CALLS,
});

export const llmCallList: Page = listPage(declared.llmCallList, {
  about: () => ({ title: 'LLM calls' }),
  order: 'The latest first',
  columns: llmColumns,
  empty: NO_CALLS,
});

export const attemptInvocations: Page = listPage(attemptCalls, {
  about: (asked) => ({
    title: asked.query['only'] === undefined ? 'Calls of an attempt' : 'Calls of an attempt that are open or failed',
    trail: trailToList(asked),
  }),
  order: 'In the order of their issue',
  columns: callColumns,
  empty: emptyState('No call has been made yet.'),
});

export const invocation: Page = itemPage(declared.invocation, {
  view: viewInvocation,
});

function viewInvocation(shown: InvocationRecord): View {
  const { response_json, response_text, settlement, pended } = shown;
  return {
    title: shown.tool_name ?? shown.ambient_source_id ?? shown.workflow_node_id ?? shown.source_label,
    eyebrow: `${callWord(shown)}${runWord(shown)}`,
    trail: trailToAttempt(shown),
    lede: outcome(shown, '', settlement === null ? [] : [settlement]),
    sections: [
      { id: 'facts', title: 'In short', body: invocationFacts(shown) },
      { id: 'request', title: 'What was asked', body: copyable('/request_json', payload(shown.request_json)) },
      {
        id: 'answer',
        title: 'What came back',
        body: html`${shown.hidden_by_redaction ? html`<p class="note">Redaction hides a part of this.</p>` : undefined}${shown.replaced === null ? undefined : html`<p class="note">The answer is read leniently: ${shown.replaced}.</p>`}${response_json === null ? undefined : copyable('/response_json', payload(response_json))}${response_text === null ? undefined : copyable('/response_text', verbatim(response_text))}${response_json === null && response_text === null ? emptyState(shown.ended_at === null ? 'Nothing yet: it has not been answered.' : 'Nothing that can be shown.') : undefined}`,
      },
      { id: 'settlement', title: 'How it was settled', body: settlement !== null && payload(settlement) },
      { id: 'pended', title: 'The later answer', body: pended !== null && payload(pended) },
    ],
    decisions: decideCall(shown),
    is_waiting: true,
  };
}

function invocationFacts(shown: InvocationRecord): Html {
  const { llm_call_id, parent_source_invocation_id: parent } = shown;
  return facts([
    ['What the model saw', linkTo('llm_call', llm_call_id, 'the prompt and the answer')],
    ['Command', html`<code>${shown.command_key}</code>`],
    ['Subject', shown.workflow_subject_entity_id],
    ['Node', shown.workflow_node_id],
    ['Source', linkTo('response_source', shown.source_hash, shown.source_label)],
    ['Workflow', linkTo('cognition_workflow', shown.workflow_hash)],
    ['Asked for by', linkTo('source_invocation', parent, 'the generation that elected it')],
    ['World', linkTo('world', shown.world_slug)],
    ['Attempt', linkTo('attempt', shown.attempt_id)],
    ['Effect', words(shown.effect_class)],
    [
      'In doubt',
      shown.outcome_unknown && shown.settled_as === null ? html`<a href="#decisions">yes: settle it</a>` : undefined,
    ],
    ['Failure', [shown.failure_class, shown.failure_detail].flatMap((name) => words(name) || []).join(', ')],
    ['HTTP status', shown.http_status],
    ['Validation', words(shown.validation_status)],
    ['Took', duration(shown.duration_ms)],
    ['Began (UTC)', moment(shown.started_at)],
    ['Result schema', linkTo('json_schema', llm_call_id === null ? shown.output_schema_hash : null)],
    ['Id', html`<code>${shown.source_invocation_id}</code>`],
  ]);
}

export const llmCall: Page = itemPage(declared.llmCall, {
  view: viewLlmCall,
});

function viewLlmCall(shown: LlmCallRecord): View {
  const { workflow_subject_entity_id: subject, attempt_id, ended_at, messages, artifacts, chunks } = shown;
  const reasoning = artifacts.filter(({ kind }) => /reason/.test(kind));
  const others = artifacts.filter((artifact) => !reasoning.includes(artifact));
  return {
    title: `What ${subject} was asked, and said`,
    eyebrow: `LLM call · node ${shown.workflow_node_id}${runWord(shown)}, round ${shown.tool_loop_round}, try ${shown.logical_generation_attempt}`,
    trail: trailToAttempt(shown),
    ...present({ events: ended_at === null ? eventsOf('attempt', attempt_id) : undefined }),
    has_pace: ended_at === null || chunks.length > 1,
    lede: html`${outcome(shown, shown.model_output_kind === null ? '' : `, ${words(shown.model_output_kind)}`)}${narrationOf(shown)}`,
    sections: [
      { id: 'answer', title: 'What the model said', body: html`${answerOf(shown)}${outputBar(shown.tokens)}` },
      reasoningSection(reasoning),
      { id: 'pace', title: 'How it came in', body: chunks.length > 1 && folded('Piece by piece', drawChunks(chunks)) },
      {
        id: 'prompt',
        title: 'What the model saw',
        body: html`${originBar(messages, shown.tokens)}${conversation(messages, '/messages')}`,
      },
      { id: 'facts', title: 'In short', body: llmFacts(shown) },
      {
        id: 'schema',
        title: 'The offered schema',
        body: folded('The whole schema', copyable('/output_schema', payload(shown.output_schema))),
      },
      {
        id: 'artifacts',
        title: 'What was made of it',
        body: others.length > 0 && folded(others.map(({ kind }) => words(kind)).join(', '), payload(others)),
      },
    ],
  };
}

/** The narration of a final patch. */
function narrationOf({ model_output_kind, raw_text }: LlmCallRecord): Html {
  const said = parseJson(raw_text);
  const { patch } = (model_output_kind === 'final_patch' && said.ok ? said.value : {}) as {
    readonly patch?: { readonly narration?: unknown };
  };
  return typeof patch?.narration === 'string' ? html`<p class="narration">${cut(patch.narration)}</p>` : NOTHING;
}

function reasoningSection(reasoning: LlmCallRecord['artifacts']): Section {
  const texts = reasoning.map(({ value }) => (typeof value === 'string' ? verbatim(value) : payload(value)));
  const body = texts.length > 0 && html`<div class="reasoning">${texts}</div>`;
  return { id: 'reasoning', title: 'What it thought aloud', body };
}

function answerOf({ raw_text, ended_at }: LlmCallRecord): Html {
  if (raw_text === '')
    return emptyState(ended_at === null ? 'The model has not answered yet.' : 'The model said nothing.');
  // A control object reads better on several lines.
  const said = parseJson(raw_text);
  const exact = verbatim(raw_text);
  const isObject = said.ok && typeof said.value === 'object';
  return html`<div class="answer">${copyable('/raw_text', isObject ? inTwoViews(payload(said.value), exact) : exact)}</div>`;
}

function llmFacts(shown: LlmCallRecord): Html {
  const { tokens } = shown;
  return facts([
    ['Model', shown.model],
    ['Endpoint', shown.endpoint_origin],
    ['Source', linkTo('response_source', shown.source_hash, shown.source_label)],
    ['Workflow', linkTo('cognition_workflow', shown.workflow_hash)],
    ['Call', linkTo('source_invocation', shown.source_invocation_id)],
    ['Tokens in', count(tokens?.input_tokens)],
    ['of these cached', count(tokens?.cached_input_tokens)],
    ['Tokens out', count(tokens?.output_tokens)],
    ['of these reasoning', count(tokens?.reasoning_tokens)],
    ['Finished by', shown.finish_reason],
    ['Schema sent by', words(shown.schema_delivery)],
    ['Chunks', shown.chunks.length],
    ['Took', duration(shown.duration_ms)],
    ['Began (UTC)', moment(shown.started_at)],
    ['Id', html`<code>${shown.llm_call_id}</code>`],
  ]);
}
