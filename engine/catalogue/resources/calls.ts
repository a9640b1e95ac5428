import { succeed } from '../../contract/problem.js';
import { listResource, listView } from '../resource.js';
import { listedColumns, llmCallColumns } from '../tables.js';
import { code } from '../view.js';

const NO_CALLS = ['No call has been made yet. Three turns make some: ', code('npx chukwa park')];

export const invocationList = listResource({
  name: 'list_source_invocations',
  path: '/source-invocations',
  reader: 'operator',
  says: 'All source calls, the latest first.',
  gives: 'SourceInvocations',
  cursor: 'id',
  keyOf: ({ source_invocation_id }) => source_invocation_id,
  read: async ({ store }, _asked, part) => succeed(await store.browse.invocations(part)),
  view: listView<'SourceInvocations'>({
    about: () => ({ title: 'Source invocations' }),
    order: 'The latest first',
    columns: listedColumns,
    empty: NO_CALLS,
  }),
});

export const llmCallList = listResource({
  name: 'list_llm_calls',
  path: '/llm-calls',
  reader: 'operator',
  says: 'All generations, the latest first.',
  gives: 'LlmCalls',
  cursor: 'id',
  keyOf: ({ llm_call_id }) => llm_call_id,
  read: async ({ store }, _asked, part) => succeed(await store.browse.llmCalls(part)),
  view: listView<'LlmCalls'>({
    about: () => ({ title: 'LLM calls' }),
    order: 'The latest first',
    columns: llmCallColumns,
    empty: NO_CALLS,
  }),
});
