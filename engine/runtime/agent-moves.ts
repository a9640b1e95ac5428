import type { Program } from '../core/protocol/program.js';
import type { TurnState } from '../core/turn/state.js';
import type { AgentHead, AgentHeads, AgentMove, AttemptLease, LeftWorld } from '../ports/attempts.js';

/** Where an attempt is, and the heads of its world's agents when it began. */
interface AttemptPlace {
  readonly lease: AttemptLease;
  readonly program: Program;
  readonly state: TurnState;
  readonly heads: AgentHeads;
}

/** The agents that have a turn in the attempt, and the status of each while it goes on. */
export function agentsOf({ program, state, heads }: AttemptPlace): readonly AgentMove[] {
  const begun = program.subjects.slice(0, state.subject_index + (state.subject === undefined ? 0 : 1));
  const active = [...heads].flatMap(([agent_id, { is_active }]) => (is_active ? [agent_id] : []));
  const ids = new Set([...begun.map(({ subject_id }) => subject_id), ...active]);
  const current = state.subject === undefined ? undefined : program.subjects[state.subject_index]?.subject_id;
  return [...ids].map((agent_id) => {
    const status = agent_id !== current ? 'running' : state.stage === 'nodes' ? 'suspended' : 'dispatched';
    return { agent_id, status, head: heads.get(agent_id) ?? { turn_epoch: 0, is_active: false } };
  });
}

/** The same agents, whose turns end with the attempt. */
export function endAgents(attempt: AttemptPlace): readonly AgentMove[] {
  return agentsOf(attempt).map((move) => ({ ...move, status: 'idle' }));
}

/** The world as an attempt has left it that has just been committed. */
export function leftBy(attempt: AttemptPlace): LeftWorld {
  const { lease, state, heads } = attempt;
  const moved = endAgents(attempt).map(({ agent_id, head }) => [agent_id, nextHead(head)] as const);
  return {
    epoch: lease.epoch,
    world: { ...state.world, turn: lease.attempted_turn },
    heads: new Map([...heads, ...moved]),
  };
}

/** The head of an agent whose turn has ended. */
function nextHead({ turn_epoch, is_active }: AgentHead): AgentHead {
  return { turn_epoch: is_active ? turn_epoch : turn_epoch + 1, is_active: false };
}
