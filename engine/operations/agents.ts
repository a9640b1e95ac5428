import { isUuid } from '../core/content/uuid.js';
import type { AgentHeadRecord, AgentTurnRecord } from '../core/agents/agent-turn.js';
import { type Archive, type Done, refuse } from './engine.js';
import { unknownWorld } from './worlds.js';

/** The agents of a world: what each of them does just now. */
export async function listAgents(archive: Archive, world_slug: string): Promise<Done<readonly AgentHeadRecord[]>> {
  const world = await archive.store.worlds.find(world_slug);
  return world === undefined
    ? unknownWorld(archive, world_slug)
    : { ok: true, value: await archive.store.records.agents(world_slug) };
}

/** One agent turn: what the agent was given, what it did, and what it left. */
export async function showAgentTurn(archive: Archive, id: string): Promise<Done<AgentTurnRecord>> {
  const record = isUuid(id) ? await archive.store.records.agentTurn(id) : undefined;
  if (record !== undefined) return { ok: true, value: record };
  const message = `There is no agent turn ${JSON.stringify(id)}.`;
  return refuse({ code: 'AGENT_TURN_UNKNOWN', message, repair: 'See chukwa attempt ID.' });
}
