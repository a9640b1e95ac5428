import type { ListedInvocation, ListedLlmCall } from '../../../ports/browse.js';
import { attemptCalls } from '../../../catalogue/resources/attempts.js';
import * as declared from '../../../catalogue/resources/calls.js';
import { stateOf } from '../../../core/protocol/work-state.js';
import { html } from '../html.js';
import { listPage, emptyState, type Page } from '../page.js';
import { type Columns, numbers } from '../parts/table.js';
import { callWord, count, duration, linkTo, moment, status, words } from '../parts/text.js';
import { callColumns } from './attempts.js';
import { trailToList } from './overview.js';

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
