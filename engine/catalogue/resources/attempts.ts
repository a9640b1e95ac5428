import { listAgentTurnsPart, listCallsPart } from '../../operations/browse/attempts.js';
import { listResource } from '../resource.js';
import { agentTurnColumns, callColumns } from '../tables.js';

export const attemptCalls = listResource({
  path: '/attempts/:attempt_id/source-invocations',
  says: 'The calls of an attempt and those that it has adopted, in the order of their issue.',
  gives: 'Calls',
  takes: ['only'],
  cursor: 'number',
  keyOf: ({ invocation_seq }) => String(invocation_seq),
  read: (archive, { parameters: { attempt_id }, query: { only } }, part) =>
    listCallsPart(archive, attempt_id, only === undefined ? part : { ...part, only: 'unfinished' }),
  title: ({ query: { only } }) =>
    only === undefined ? 'Calls of an attempt' : 'Calls of an attempt that are open or failed',
  order: 'In the order of their issue',
  columns: callColumns,
  empty: 'No call has been made yet.',
});

export const attemptAgentTurns = listResource({
  path: '/attempts/:attempt_id/agent-turns',
  reader: 'consumer',
  says: 'The agent turns of an attempt, in the order in which they began.',
  gives: 'AgentTurns',
  cursor: 'id',
  keyOf: ({ agent_turn_id }) => agent_turn_id,
  read: (archive, { parameters: { attempt_id } }, part) => listAgentTurnsPart(archive, attempt_id, part),
  title: 'Agent turns of an attempt',
  order: 'In the order in which they began',
  columns: agentTurnColumns,
  empty: 'No agent has begun its turn yet.',
});
