import { type AgentBook, type AgentTurn, type CallPointer, entryKey } from '../../core/agents/book.js';
import type { AgentActivity } from '../../core/agents/status.js';
import { prepare, run, type Runner } from '../statement.js';

const READ_HEADS = prepare(
  'read_agent_heads',
  `SELECT heads.agent_id, heads.turn_epoch, turns.agent_turn_id, heads.status, heads.activity, heads.current_tool,
     heads.resume_deadline,
     (SELECT count(*) FROM cards
       WHERE cards.world_slug = turns.world_slug AND cards.box_id = turns.output_box_id)::int AS output_cards,
     ARRAY(SELECT tool_call_id::text FROM turn_waiting_tools AS waits
       WHERE waits.world_slug = turns.world_slug AND waits.agent_turn_id = turns.agent_turn_id
         AND received_at IS NULL ORDER BY 1) AS waiting,
     ARRAY(SELECT DISTINCT transition FROM agent_events AS events
       WHERE events.world_slug = turns.world_slug AND events.agent_turn_id = turns.agent_turn_id) AS transitions,
     (SELECT json_build_object('source_invocation_id', said.source_invocation_id, 'llm_call_id', said.llm_call_id)
      FROM agent_events AS events JOIN source_invocations AS said
        ON said.world_slug = events.world_slug AND said.source_invocation_id = (payload->>'step_id')::uuid
      WHERE events.world_slug = turns.world_slug AND events.agent_turn_id = turns.agent_turn_id
        AND transition = 'answered' AND kind = 'step') AS answer
   FROM agent_state_heads AS heads LEFT JOIN agent_turns AS turns
     ON turns.world_slug = heads.world_slug AND turns.agent_turn_id = heads.active_agent_turn_id
       AND turns.attempt_id = :attempt_id::uuid
   WHERE heads.world_slug = :world_slug
   ORDER BY turns.began_at, heads.agent_id`,
);

/** The head of an agent that has no turn in the attempt. */
interface RestingRow {
  readonly agent_id: string;
  readonly turn_epoch: number;
  readonly agent_turn_id: null;
}

interface TurnRow {
  readonly agent_id: string;
  readonly turn_epoch: number;
  readonly agent_turn_id: string;
  readonly status: AgentTurn['status'];
  readonly activity: AgentActivity | null;
  readonly current_tool: string | null;
  readonly resume_deadline: Date | null;
  readonly output_cards: number;
  readonly waiting: readonly string[];
  readonly transitions: readonly string[];
  readonly answer: CallPointer | null;
}

/** What is on record of the agents of an attempt that goes on. */
export async function readBook(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string },
): Promise<AgentBook> {
  const heads = await run<RestingRow | TurnRow>(runner, READ_HEADS, attempt);
  const rows = heads.filter((row) => row.agent_turn_id !== null);
  return {
    attempt_id: attempt.attempt_id,
    turn_epochs: new Map(heads.map(({ agent_id, turn_epoch }) => [agent_id, turn_epoch])),
    turns: new Map(rows.map((row) => [row.agent_id, toTurn(row)])),
    recorded: new Set(
      rows.flatMap(({ agent_turn_id, transitions }) =>
        transitions.map((transition) => entryKey(agent_turn_id, transition)),
      ),
    ),
  };
}

function toTurn({ transitions, resume_deadline, ...turn }: TurnRow): AgentTurn {
  return {
    ...turn,
    resume_deadline: resume_deadline?.getTime() ?? null,
    suspensions: transitions.filter((transition) => transition.startsWith('suspended ')).length,
  };
}
