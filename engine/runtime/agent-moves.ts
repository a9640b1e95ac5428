import type { Program } from '../core/protocol/program.js';
import type { TurnState } from '../core/turn/state.js';
import type { SubjectRun } from '../core/turn/subject-run.js';
import type { AgentHead, AgentHeads, AgentMove, AttemptLease, LeftWorld } from '../ports/attempts.js';

/** Where an attempt is, and the heads of its world's agents when it began. */
interface AttemptPlace {
  readonly lease: AttemptLease;
  readonly program: Program;
  readonly state: TurnState;
  readonly heads: AgentHeads;
}

/** The agents that have a turn in the attempt, and the status of each while the attempt is suspended. */
export function agentsOf({ program, state, heads }: AttemptPlace): readonly AgentMove[] {
  const active = [...heads].flatMap(([agent_id, { is_active }]) => (is_active ? [agent_id] : []));
  const moves = new Map<string, AgentMove['status']>(active.map((agent_id) => [agent_id, 'running']));
  for (const [index, { subject_id }] of program.subjects.entries()) {
    const stage = index < state.head ? 'finished' : state.runs.get(index)?.run.stage;
    if (stage !== undefined) moves.set(subject_id, STATUS_OF_STAGE[stage]);
  }
  return [...moves].map(([agent_id, status]) => {
    return { agent_id, status, head: heads.get(agent_id) ?? { turn_epoch: 0, is_active: false } };
  });
}

const STATUS_OF_STAGE: Readonly<Record<SubjectRun['stage'], AgentMove['status']>> = {
  ambients: 'dispatched',
  nodes: 'suspended',
  finished: 'running',
};

/** The same agents, whose turns end with the attempt. */
export function endAgents(attempt: AttemptPlace): readonly AgentMove[] {
  return agentsOf(attempt).map((move) => ({ ...move, status: 'idle' }));
}

/** The world as an attempt has left it that has just been committed. */
export function leftBy(attempt: AttemptPlace): LeftWorld {
  const { lease, state, heads } = attempt;
  const moved = endAgents(attempt).map(({ agent_id, head }) => [agent_id, nextHead(head)] as const);
  return {
    attempt_id: lease.attempt_id,
    epoch: lease.epoch,
    request_mark: lease.request_mark,
    world: { ...state.world, turn: lease.attempted_turn },
    heads: new Map([...heads, ...moved]),
  };
}

/** The head of an agent whose turn has ended. */
function nextHead({ turn_epoch, is_active }: AgentHead): AgentHead {
  return { turn_epoch: is_active ? turn_epoch : turn_epoch + 1, is_active: false };
}
