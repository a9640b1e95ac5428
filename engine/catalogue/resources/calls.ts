import { succeed } from '../../contract/problem.js';
import { showInvocation, showLlmCall } from '../../operations/records.js';
import { listResource, resource } from '../resource.js';

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

export const invocation = resource({
  name: 'get_source_invocation',
  path: '/source-invocations/:source_invocation_id',
  reader: 'operator',
  says: 'A source call: its request, its answer and its verdict.',
  gives: 'SourceInvocation',
  read: (archive, { parameters: { source_invocation_id } }) => showInvocation(archive, source_invocation_id),
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

export const llmCall = resource({
  name: 'get_llm_call',
  path: '/llm-calls/:llm_call_id',
  reader: 'operator',
  says: 'A generation: the exact text that the model saw and said.',
  gives: 'LlmCall',
  read: (archive, { parameters: { llm_call_id } }) => showLlmCall(archive, llm_call_id),
});
