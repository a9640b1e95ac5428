import type { AgentTurnRecord } from '../../core/agents/agent-turn.js';
import type { Archive } from '../engine.js';

/**
 * An archive for many pages at once: it reads the agent turns of an attempt, and the patches of a turn, once, and gives
 * them to each page that asks. Only for what lives shorter than the record may change.
 */
export function readOnce({ store }: Archive): Archive {
  const { records, worlds } = store;
  const turns = new Map<string, AgentTurnRecord>();
  const patches = new Map<string, ReturnType<typeof worlds.patches>>();
  return {
    store: {
      ...store,
      records: {
        ...records,
        agentTurn: async (name) => {
          const id = name.toLowerCase();
          if (!turns.has(id))
            for (const turn of await records.agentTurnsBeside(id)) turns.set(turn.agent_turn_id, turn);
          return turns.get(id);
        },
      },
      worlds: {
        ...worlds,
        patches: (world_slug, part) => {
          const key = JSON.stringify([world_slug, part]);
          const read = patches.get(key) ?? worlds.patches(world_slug, part);
          patches.set(key, read);
          return read;
        },
      },
    },
  };
}
