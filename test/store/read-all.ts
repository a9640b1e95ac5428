import assert from 'node:assert/strict';
import { listAgents, showAgentTurn } from '../../engine/operations/browse/agents.js';
import { browseAttempt } from '../../engine/operations/browse/attempts.js';
import { browseOverview } from '../../engine/operations/browse/overview.js';
import { browseTurn, browseWorld } from '../../engine/operations/browse/worlds.js';
import { listAttempts, showInvocation, showLlmCall } from '../../engine/operations/browse/records.js';
import { search } from '../../engine/operations/browse/search.js';
import { listWorlds, lookAtWorld } from '../../engine/operations/worlds/worlds.js';
import type { Store } from '../../engine/store/open-store.js';
import { must } from '../support/park-stage.js';

/** Reads all that lists, pages and searches read of a world. */
export async function readAll(store: Store, world_slug: string): Promise<void> {
  const archive = { store };
  const worlds = must(await listWorlds(archive));
  assert.ok(worlds.some((world) => world.world_slug === world_slug));
  const { turn } = must(await lookAtWorld(archive, { world_slug }));
  must(await browseOverview(archive, 'operator'));
  must(await browseWorld(archive, { world_slug }));
  for (let each = 0; each <= turn; each += 1) {
    must(await lookAtWorld(archive, { world_slug, turn: each }));
    must(await browseTurn(archive, { world_slug, turn: `${each}` }));
  }
  must(await listAgents(archive, world_slug));
  for (const { attempt_id } of must(await listAttempts(archive, world_slug)).attempts) {
    const page = must(await browseAttempt(archive, { attempt_id, reader: 'operator' }));
    for (const { agent_turn_id } of page.agent_turns)
      must(await showAgentTurn(archive, { agent_turn_id, reader: 'operator' }));
    for (const { source_invocation_id, llm_call_id } of page.invocations) {
      must(await showInvocation(archive, source_invocation_id));
      if (llm_call_id !== null) must(await showLlmCall(archive, llm_call_id));
    }
  }
  must(await search(archive, { q: 'tired', world: world_slug }));
}
