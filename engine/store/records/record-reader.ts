import { isUuid } from '../../core/content/uuid.js';
import type { RecordReader } from '../../ports/records.js';
import type { OpenDatabase } from '../database.js';
import { listAgentHeads, listTurnsBeside } from './agent-records.js';
import { findAttempt, findRanAttempt, listAttempts } from './attempt-record.js';
import { findInvocation, listExchanges } from './invocation-record.js';
import { findLlmCall } from './llm-call-record.js';

/** The record as people and programs read it. A text that is no id names nothing. */
export function recordReader(database: OpenDatabase): RecordReader {
  const agentTurnsBeside: RecordReader['agentTurnsBeside'] = async (id) =>
    isUuid(id) ? listTurnsBeside(database, id) : [];
  return {
    ranAttempt: async (attempt_id) => (isUuid(attempt_id) ? findRanAttempt(database, attempt_id) : undefined),
    attempt: async (attempt_id, calls_max) =>
      isUuid(attempt_id) ? findAttempt(database, attempt_id, calls_max) : undefined,
    attempts: (world_slug) => listAttempts(database, { world_slug }),
    invocation: async (id, view) => (isUuid(id) ? findInvocation(database, id, view) : undefined),
    exchanges: (world_slug, ids) => listExchanges(database, world_slug, ids),
    agentTurn: async (id) =>
      (await agentTurnsBeside(id)).find(({ agent_turn_id }) => agent_turn_id === id.toLowerCase()),
    agentTurnsBeside,
    agents: (world_slug) => listAgentHeads(database, world_slug),
    llmCall: async (id) => (isUuid(id) ? findLlmCall(database, id) : undefined),
  };
}
