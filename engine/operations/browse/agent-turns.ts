import type { AgentTurnRecord } from '../../core/agents/agent-turn.js';
import type { InvocationSummary } from '../../ports/records.js';
import { showAgentTurn } from '../agents.js';
import type { Archive, Done } from '../engine.js';
import { CALLS_SHOWN } from './attempts.js';

/** An agent turn as its page shows it. */
export interface AgentTurnPage extends AgentTurnRecord {
  /** The calls that its cards point to, of the first 500 of its attempt. */
  readonly calls: readonly InvocationSummary[];
}

/** An agent turn with the calls that its cards point to. */
export async function browseAgentTurn(archive: Archive, id: string): Promise<Done<AgentTurnPage>> {
  const turn = await showAgentTurn(archive, id);
  if (!turn.ok) return turn;
  const { context_box, output_box, attempt_id } = turn.value;
  const cards = [...(context_box?.cards ?? []), ...output_box.cards];
  const named = new Set(cards.map(({ source_invocation_id }) => source_invocation_id));
  const calls = (await archive.store.browse.calls(attempt_id, { limit: CALLS_SHOWN })) ?? [];
  return {
    ok: true,
    value: { ...turn.value, calls: calls.filter(({ source_invocation_id }) => named.has(source_invocation_id)) },
  };
}
