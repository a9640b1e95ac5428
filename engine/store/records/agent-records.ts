import type { NotNull } from 'kysely';
import type { AgentHeadRecord, AgentTurnRecord, AgentTurnSummary } from '../../core/agents/agent-turn.js';
import { agentTurnsOf } from '../../core/agents/agent-turns.js';
import type { AgentTurn } from '../../core/agents/turn-draft.js';
import { agentTaskOf, type TaskDocument } from '../../core/agents/agent-task.js';
import type { AgentTask } from '../../core/agents/recorded-attempt.js';
import { isUuid } from '../../core/content/uuid.js';
import type { Fact } from '../../core/facts/fact.js';
import type { Entity } from '../../core/world/world.js';
import { CALLS_OF_HEAD } from '../state-heads.js';
import { type InAttempt, type InWorld, query } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';
import { readFactsOf } from './facts.js';
import { isDriven } from './work-state.js';

// The activity of agents is folded from the record of their attempts at each reading.

const IDLE = {
  status: 'idle',
  active_agent_turn_id: null,
  activity: null,
  current_tool: null,
  waiting_tool_count: 0,
  resume_deadline: null,
} as const;

const readHeads = query(({ from }, { world_slug }: InWorld) =>
  from('agent_state_heads').select(['agent_id', 'turn_epoch']).where('world_slug', '=', world_slug).orderBy('agent_id'),
);

/** The state heads of a world's agents, with their current activity. */
export async function listAgentHeads(runner: Runner, world_slug: string): Promise<readonly AgentHeadRecord[]> {
  const rows = await readHeads(runner, { world_slug });
  const turns = (await readOpenTurns(runner, { world_slug })).map(({ head }) => [head.agent_id, head] as const);
  const heads = new Map(turns);
  return rows.map(({ agent_id, turn_epoch }) => heads.get(agent_id) ?? { agent_id, turn_epoch, ...IDLE });
}

const findOpen = query(({ from, lit }, { world_slug }: Partial<InWorld>) => {
  const open = from('attempts')
    .select('attempt_id')
    .where('status', 'in', [lit('running'), lit('suspended')]);
  return world_slug === undefined ? open : open.where('world_slug', '=', world_slug);
});

/** The agent turns in progress: of a world, or of all. */
async function readOpenTurns(runner: Runner, world: Partial<InWorld>): Promise<readonly AgentTurn[]> {
  const turns: AgentTurn[] = [];
  for (const { attempt_id } of await findOpen(runner, world)) turns.push(...(await readAgentTurns(runner, attempt_id)));
  return turns;
}

/** The agent turns of an attempt, in the order in which they began. */
export async function listAgentTurns(runner: Runner, attempt_id: string): Promise<readonly AgentTurnSummary[]> {
  return (await readAgentTurns(runner, attempt_id)).map(({ record }) => toSummary(record));
}

function toSummary(record: AgentTurnRecord): AgentTurnSummary {
  const { agent_turn_id, agent_id, turn_epoch, outcome, deliverable_card_id } = record;
  const { state, began_at, worked_until, ended_at } = record;
  return { agent_turn_id, agent_id, turn_epoch, outcome, state, deliverable_card_id, began_at, worked_until, ended_at };
}

const findMessage = query(({ from, lit }, { agent_turn_id }: { readonly agent_turn_id: string }) =>
  from('agent_inbox')
    .select('attempt_id')
    .where('agent_turn_id', '=', agent_turn_id)
    .where('message_type', '=', lit('turn'))
    .$narrowType<{ attempt_id: NotNull }>(),
);

export async function findAgentTurn(runner: Runner, id: string): Promise<AgentTurnRecord | undefined> {
  return (await listTurnsBeside(runner, id)).find(({ agent_turn_id }) => agent_turn_id === id.toLowerCase());
}

/** An agent turn with all others of its attempt, of which it is a part; none for an unknown id. */
export async function listTurnsBeside(runner: Runner, agent_turn_id: string): Promise<readonly AgentTurnRecord[]> {
  if (!isUuid(agent_turn_id)) return [];
  const [asked] = await findMessage(runner, { agent_turn_id });
  // One that has just begun has no message yet.
  const turns = asked ? await readAgentTurns(runner, asked.attempt_id) : await readOpenTurns(runner, {});
  return turns.map(({ record }) => record);
}

const readAttempt = query(({ from, sql }, { attempt_id }: Pick<InAttempt, 'attempt_id'>) =>
  from('attempts')
    .innerJoin('scenarios', 'scenarios.hash', 'attempts.scenario_hash')
    .select(['world_slug', 'status'])
    .select((eb) => [
      // Whatever an import has brought: an entry that is no entity has no task.
      sql<readonly Acting[]>`(SELECT coalesce(json_agg(entity), '[]')
        FROM json_array_elements(${eb.ref('content')}->'entities') AS entity
        WHERE json_typeof(entity) = 'object')`.as('entities'),
      sql.raw<boolean>(isDriven('attempts')).as('is_driven'),
    ])
    .where('attempt_id', '=', attempt_id),
);

/** An entity of the scenario, for its task. */
type Acting = Pick<Entity, 'id' | 'environment'>;

async function readAgentTurns(runner: Runner, attempt_id: string): Promise<readonly AgentTurn[]> {
  const [row] = await readAttempt(runner, { attempt_id });
  if (row === undefined) return [];
  const { world_slug, entities, ...around } = row;
  const facts = (await readFactsOf(runner, world_slug, [attempt_id])).get(attempt_id) ?? [];
  const agents = await readEpochs(runner, { world_slug, attempt_id });
  return agentTurnsOf(facts, { ...around, agents, tasks: await readTasks(runner, facts, entities) });
}

// An agent that has a call and no message yet is about to be given one, with the next epoch.
const EPOCHS = prepare(
  'epochs_of_agent_turns',
  `WITH asked AS (
     SELECT agent_id, turn_epoch FROM agent_inbox
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND message_type = 'turn'
       AND agent_id IS NOT NULL)
   SELECT agent_id, turn_epoch FROM asked
   UNION ALL
   SELECT agent_id, turn_epoch + 1 FROM agent_state_heads AS heads
   WHERE world_slug = :world_slug AND active_agent_turn_id IS NULL AND agent_id NOT IN (SELECT agent_id FROM asked)
     AND EXISTS (SELECT FROM attempts WHERE attempt_id = :attempt_id::uuid AND ended_at IS NULL)
     AND EXISTS (${CALLS_OF_HEAD})`,
);

async function readEpochs(runner: Runner, attempt: InAttempt): Promise<ReadonlyMap<string, number>> {
  const rows = await run<{ agent_id: string; turn_epoch: number }>(runner, EPOCHS, { ...attempt });
  return new Map(rows.map(({ agent_id, turn_epoch }) => [agent_id, turn_epoch]));
}

const readWorkflows = query(({ from, sql }, { hashes }: { readonly hashes: readonly string[] }) =>
  from('cognition_workflows')
    .select((eb) => ['hash', eb.ref('content').$castTo<TaskDocument>().as('content')])
    .where('hash', '=', (eb) => eb.fn.any(eb.val(hashes)))
    .where(sql<boolean>`json_typeof(content->'ambient_sources') = 'array' AND content#>>'{apply,from}' IS NOT NULL`),
);

/** The text of each agent's workflow, as the attempt had it. */
async function readTasks(
  runner: Runner,
  facts: readonly Fact[],
  entities: readonly Acting[],
): Promise<ReadonlyMap<string, AgentTask>> {
  const workflowOf = new Map(
    facts.flatMap((fact) => (fact.kind === 'call_started' ? [[fact.subject_id, fact.workflow_hash] as const] : [])),
  );
  const hashes = [...new Set(workflowOf.values())].filter((hash) => hash !== null);
  const rows = await readWorkflows(runner, { hashes });
  const contents = new Map(rows.map(({ hash, content }) => [hash, content]));
  return new Map(
    entities.flatMap((entity) => {
      const content = contents.get(workflowOf.get(entity.id) ?? '');
      return content === undefined ? [] : [[entity.id, agentTaskOf(content, entity)] as const];
    }),
  );
}
