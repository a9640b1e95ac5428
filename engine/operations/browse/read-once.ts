import type { AgentTurnRecord } from '../../core/agents/agent-turn.js';
import type { Archive } from '../engine.js';

/**
 * An archive for many pages at once: it reads the agent turns of an attempt, and the patches of a turn, once, and gives
 * them to each page that asks. Later writes are not seen.
 */
export function readOnce({ store }: Archive): Archive {
  const { records, worlds } = store;
  const turns = new Map<string, AgentTurnRecord>();
  const agentTurn: typeof records.agentTurn = async (name) => {
    const id = name.toLowerCase();
    if (!turns.has(id)) for (const turn of await records.agentTurnsBeside(id)) turns.set(turn.agent_turn_id, turn);
    return turns.get(id);
  };
  const read = new Map<string, ReturnType<typeof worlds.patches>>();
  const patches: typeof worlds.patches = (...asked) => {
    const key = JSON.stringify(asked);
    const found = read.get(key) ?? worlds.patches(...asked);
    read.set(key, found);
    return found;
  };
  return { store: { ...store, records: { ...records, agentTurn }, worlds: { ...worlds, patches } } };
}
