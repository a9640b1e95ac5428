import { succeed } from '../../contract/problem.js';
import { listResource } from '../resource.js';

export const invocationList = listResource({
  name: 'list_source_invocations',
  path: '/source-invocations',
  reader: 'operator',
  says: 'All source calls, the latest first.',
  gives: 'SourceInvocations',
  cursor: 'id',
  keyOf: ({ source_invocation_id }) => source_invocation_id,
  read: async ({ store }, _asked, part) => succeed(await store.browse.invocations(part)),
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
});
