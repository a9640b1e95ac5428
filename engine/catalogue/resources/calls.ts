import { present } from '../../contract/present.js';
import { succeed } from '../../contract/problem.js';
import type { CallFilter } from '../../ports/browse.js';
import { countedList } from '../counted-list.js';
import { type Asked } from '../resource.js';
import { listedColumns, llmCallColumns } from '../tables.js';
import { code } from '../view.js';

const FILTERS = ['state', 'world', 'subject', 'source', 'failure'] as const;

/** The filter that a query says, but for the state. */
function filterOf({ query: { world, subject, source, failure } }: Asked): CallFilter {
  return present({ world_slug: world, subject, source_label: source, failure_class: failure });
}

const statusOf = ({ query: { state } }: Asked): CallFilter => present({ status: state });

const NO_CALLS = ['No call has been made yet. Three turns make some: ', code('npx chukwa park')];

export const invocationList = countedList({
  name: 'list_source_invocations',
  path: '/source-invocations',
  command: 'invocations',
  says: 'List source calls, the latest first; by state, world, subject, source and failure.',
  gives: 'SourceInvocations',
  filters: FILTERS,
  cursor: 'id',
  keyOf: ({ source_invocation_id }) => source_invocation_id,
  read: async ({ store }, asked, part) =>
    succeed(await store.browse.invocations({ ...part, ...filterOf(asked), ...statusOf(asked) })),
  count: ({ store }, asked, seen) => store.browse.statuses({ ...filterOf(asked), seen }),
  title: 'Source invocations',
  order: 'The latest first',
  columns: listedColumns,
  empty: NO_CALLS,
});

export const llmCallList = countedList({
  path: '/llm-calls',
  command: 'llm-calls',
  says: 'List generations, the latest first; by state, world, subject, source and failure.',
  gives: 'LlmCalls',
  filters: FILTERS,
  cursor: 'id',
  keyOf: ({ llm_call_id }) => llm_call_id,
  read: async ({ store }, asked, part) =>
    succeed(await store.browse.llmCalls({ ...part, ...filterOf(asked), ...statusOf(asked) })),
  count: ({ store }, asked, seen) => store.browse.statuses({ ...filterOf(asked), kind: 'llm_generation', seen }),
  title: 'LLM calls',
  order: 'The latest first',
  columns: llmCallColumns,
  empty: NO_CALLS,
});
