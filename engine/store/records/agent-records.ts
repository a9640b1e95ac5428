import type { JsonObject } from '../../contract/json.js';
import type {
  AgentEventRecord,
  AgentHeadRecord,
  AgentTurnRecord,
  AgentTurnSummary,
  BoxRecord,
  CardRecord,
  ExecutionEdgeRecord,
  WaitingToolRecord,
} from '../../ports/agent-records.js';
import { prepare, run, type Runner } from '../statement.js';

const HEADS = prepare(
  'agents_of_world',
  `SELECT agent_id, status, turn_epoch, active_agent_turn_id, activity, current_tool, waiting_tool_count,
     resume_deadline
   FROM agent_state_heads WHERE world_slug = :world_slug ORDER BY agent_id`,
);

type HeadRow = Omit<AgentHeadRecord, 'resume_deadline'> & { readonly resume_deadline: Date | null };

/** The state heads of a world's agents. */
export async function listAgentHeads(runner: Runner, world_slug: string): Promise<readonly AgentHeadRecord[]> {
  const rows = await run<HeadRow>(runner, HEADS, { world_slug });
  return rows.map((row) => ({ ...row, resume_deadline: row.resume_deadline?.toISOString() ?? null }));
}

const SUMMARY = 'agent_turn_id, agent_id, turn_epoch, outcome, deliverable_card_id, began_at, agent_turns.ended_at';

interface SummaryRow extends Omit<AgentTurnSummary, 'began_at' | 'ended_at'> {
  readonly began_at: Date;
  readonly ended_at: Date | null;
}

function toSummary<Row extends SummaryRow>(
  row: Row,
): Omit<Row, 'began_at' | 'ended_at'> & Pick<AgentTurnSummary, 'began_at' | 'ended_at'> {
  return { ...row, began_at: row.began_at.toISOString(), ended_at: row.ended_at?.toISOString() ?? null };
}

const OF_ATTEMPT = prepare(
  'agent_turns_of_attempt',
  `SELECT ${SUMMARY} FROM agent_turns JOIN agent_events USING (world_slug, agent_turn_id, agent_id)
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND kind = 'wakeup'
   ORDER BY event_id`,
);

/** The agent turns of an attempt, in the order in which they began. */
export async function listAgentTurns(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string },
): Promise<readonly AgentTurnSummary[]> {
  const { world_slug, attempt_id } = attempt;
  return (await run<SummaryRow>(runner, OF_ATTEMPT, { world_slug, attempt_id })).map(toSummary);
}

const FIND = prepare(
  'find_agent_turn',
  `SELECT ${SUMMARY}, world_slug, attempt_id, attempted_turn, attempts.status AS attempt_status, agent_turns.inbox_id,
     context_box_id, output_box_id
   FROM agent_turns JOIN attempts USING (world_slug, attempt_id) WHERE agent_turn_id = :agent_turn_id::uuid`,
);

interface TurnRow extends SummaryRow {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly attempt_status: string;
  readonly inbox_id: string;
  readonly context_box_id: string;
  readonly output_box_id: string;
}

interface TurnKey {
  readonly [column: string]: string;
  readonly world_slug: string;
  readonly agent_turn_id: string;
}

/** One agent turn with everything that happened in it. */
export async function findAgentTurn(runner: Runner, agent_turn_id: string): Promise<AgentTurnRecord | undefined> {
  const [row] = await run<TurnRow>(runner, FIND, { agent_turn_id });
  if (row === undefined) return undefined;
  const { context_box_id, output_box_id, ...columns } = row;
  const key = { world_slug: row.world_slug, agent_turn_id };
  const context = await readBox(runner, row.world_slug, context_box_id);
  return {
    ...toSummary(columns),
    context_box: context.cards.length === 0 ? null : context,
    output_box: await readBox(runner, row.world_slug, output_box_id),
    execution_edges: await listEdges(runner, key),
    events: await listEvents(runner, key),
    waiting_tools: await listWaitingTools(runner, key),
  };
}

const CARDS = prepare(
  'cards_of_box',
  `SELECT card_id, kind, component_hash, source_invocation_id, llm_call_id, patch_seq, content
   FROM cards WHERE world_slug = :world_slug AND box_id = :box_id::uuid ORDER BY position`,
);

async function readBox(runner: Runner, world_slug: string, box_id: string): Promise<BoxRecord> {
  return { box_id, cards: await run<CardRecord>(runner, CARDS, { world_slug, box_id }) };
}

const EDGES = prepare(
  'edges_of_agent_turn',
  `SELECT primitive, edge_phase, correlation_id, trace_id, parent_step_id, occurred_at
   FROM execution_edges WHERE world_slug = :world_slug AND agent_turn_id = :agent_turn_id::uuid ORDER BY edge_id`,
);

type Timed<Row> = Omit<Row, 'occurred_at'> & { readonly occurred_at: Date };

async function listEdges(runner: Runner, key: TurnKey): Promise<readonly ExecutionEdgeRecord[]> {
  const rows = await run<Timed<ExecutionEdgeRecord>>(runner, EDGES, key);
  return rows.map((row) => ({ ...row, occurred_at: row.occurred_at.toISOString() }));
}

const EVENTS = prepare(
  'events_of_agent_turn',
  `SELECT subject, occurred_at, payload
   FROM agent_events WHERE world_slug = :world_slug AND agent_turn_id = :agent_turn_id::uuid ORDER BY event_id`,
);

async function listEvents(runner: Runner, key: TurnKey): Promise<readonly AgentEventRecord[]> {
  const rows = await run<Timed<AgentEventRecord>>(runner, EVENTS, key);
  return rows.map(({ subject, occurred_at, payload }) => {
    const whole: JsonObject = { agent_turn_id: key.agent_turn_id, ...payload };
    return { subject, occurred_at: occurred_at.toISOString(), payload: whole };
  });
}

const WAITING_TOOLS = prepare(
  'waiting_tools_of_agent_turn',
  `SELECT tool_call_id, registered_at, received_at
   FROM turn_waiting_tools WHERE world_slug = :world_slug AND agent_turn_id = :agent_turn_id::uuid
   ORDER BY registered_at, tool_call_id`,
);

interface WaitingToolRow {
  readonly tool_call_id: string;
  readonly registered_at: Date;
  readonly received_at: Date | null;
}

async function listWaitingTools(runner: Runner, key: TurnKey): Promise<readonly WaitingToolRecord[]> {
  const rows = await run<WaitingToolRow>(runner, WAITING_TOOLS, key);
  return rows.map(({ tool_call_id, registered_at, received_at }) => ({
    tool_call_id,
    registered_at: registered_at.toISOString(),
    received_at: received_at?.toISOString() ?? null,
  }));
}
