import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import type { Json } from '../../contract/json.js';
import type {
  AgentHeadRecord,
  AgentTurnRecord,
  AgentTurnSummary,
  BoxRecord,
  CardRecord,
} from '../../core/agents/agent-turn.js';
import type { ListPart } from '../../ports/browse.js';
import type { CallFailureRecord } from '../../ports/records.js';
import type { Archive } from '../engine.js';
import { type Costing, readCost, readCosts } from '../costs/read-cost.js';
import { unknownWorld } from '../worlds/worlds.js';

/**
 * An agent's state head, what all its calls in this world have cost, and its turn in the world's latest attempt: null where
 * it had none in it.
 */
export interface ListedAgent extends AgentHeadRecord, Costing {
  readonly latest_turn: Pick<AgentTurnSummary, 'agent_turn_id' | 'outcome' | 'state'> | null;
}

/** The agents of a world: idle ones, too, with the turn that each of them had last. */
export async function listAgents(archive: Archive, world_slug: string): Promise<Outcome<readonly ListedAgent[]>> {
  const { worlds, records, browse } = archive.store;
  if ((await worlds.find(world_slug)) === undefined) return unknownWorld(archive, world_slug);
  const [latest] = await browse.attempts({ world_slug, limit: 1 });
  const turns = (latest && (await records.attempt(latest.attempt_id, 1)))?.agent_turns ?? [];
  const heads = await records.agents(world_slug);
  const costOf = await readCosts(archive, { of: 'subjects', world_slug });
  const value = heads.map((agent) => {
    const head = { ...agent, cost: costOf(agent.agent_id) };
    const turn = turns.findLast(({ agent_id }) => agent_id === head.agent_id);
    if (turn === undefined) return { ...head, latest_turn: null };
    const { agent_turn_id, outcome, state } = turn;
    return { ...head, latest_turn: { agent_turn_id, outcome, state } };
  });
  return succeed(value);
}

/** A part of the agents of a world, by name. */
export async function listAgentsPart(
  archive: Archive,
  world_slug: string,
  { after = '', limit }: ListPart,
): Promise<Outcome<readonly ListedAgent[]>> {
  const agents = await listAgents(archive, world_slug);
  if (!agents.ok) return agents;
  return succeed(agents.value.filter(({ agent_id }) => agent_id > after).slice(0, limit));
}

/** A card with the value that it points to: a reading, arguments, a result, or a narration. */
export interface ResolvedCard extends CardRecord {
  readonly tells: { readonly of: string; readonly value: Json; readonly failure: CallFailureRecord | null } | null;
}

interface ResolvedBox extends BoxRecord {
  readonly cards: readonly ResolvedCard[];
}

/** An agent turn whose cards hold what was given, done and decided. */
export interface ResolvedAgentTurn extends AgentTurnRecord, Costing {
  readonly context_box: ResolvedBox | null;
  readonly output_box: ResolvedBox;
}

/**
 * One agent turn: the agent's input, its actions and its result.
 * @param asked only operators see what a tool was sent
 */
export async function showAgentTurn(
  archive: Archive,
  asked: { readonly agent_turn_id: string; readonly reader: 'consumer' | 'operator' },
): Promise<Outcome<ResolvedAgentTurn>> {
  const { agent_turn_id: id, reader } = asked;
  const record = await archive.store.records.agentTurn(id);
  if (record !== undefined) return succeed(await resolveCards(archive, record, reader));
  return refuse(problem('AGENT_TURN_UNKNOWN', { id, is_whole: isUuid(id) }));
}

async function resolveCards(
  archive: Archive,
  record: AgentTurnRecord,
  reader: 'consumer' | 'operator',
): Promise<ResolvedAgentTurn> {
  const { store } = archive;
  const { world_slug, attempt_id, attempted_turn: until, agent_id, context_box, output_box } = record;
  const patches = await store.worlds.patches(world_slug, { after: until - 1, until });
  const ids = [...(context_box?.cards ?? []), ...output_box.cards].flatMap((card) => callOf(card) ?? []);
  const calls = new Map(
    (await store.records.exchanges(world_slug, ids)).map((call) => [call.source_invocation_id, call]),
  );
  const answers = await readAnswers(store.records, output_box.cards);
  const resolve = (card: CardRecord): ResolvedCard => {
    const answer = answers.get(card.card_id);
    if (answer !== undefined) return { ...card, tells: { ...answer, failure: null } };
    const patch = patches.find(({ patch_seq }) => patch_seq === card.patch_seq);
    if (patch !== undefined) return { ...card, tells: { of: agent_id, value: patch.narration, failure: null } };
    const call = calls.get(callOf(card) ?? '');
    const isRequest = card.kind === 'tool.call';
    if (call === undefined || (isRequest && reader === 'consumer')) return { ...card, tells: null };
    const of = call.tool_name ?? call.ambient_source_id ?? call.workflow_node_id ?? call.command_key;
    if (isRequest) return { ...card, tells: { of, value: call.request_json, failure: null } };
    const { failure_class, failure_detail, failure_message, response_json: value } = call;
    const failure = failure_class === null ? null : { failure_class, failure_detail, failure_message };
    return { ...card, tells: { of, value, failure } };
  };
  const resolveBox = (box: BoxRecord): ResolvedBox => ({ ...box, cards: box.cards.map(resolve) });
  const cost = await readCost(archive, { of: 'subject', world_slug, attempt_id, subject_id: agent_id });
  return { ...record, context_box: context_box && resolveBox(context_box), output_box: resolveBox(output_box), cost };
}

/** The answers of the generations that gave nodes their outputs, or judged them, by card. */
async function readAnswers(
  records: Archive['store']['records'],
  cards: readonly CardRecord[],
): Promise<ReadonlyMap<string, { readonly of: string; readonly value: Json }>> {
  const answers = new Map<string, { readonly of: string; readonly value: Json }>();
  for (const { kind, card_id, llm_call_id } of cards) {
    if (!GENERATED.includes(kind) || llm_call_id === null) continue;
    const call = await records.llmCall(llm_call_id);
    const parsed = call?.artifacts.find((artifact) => artifact.kind === 'parsed_output');
    if (call && parsed) answers.set(card_id, { of: call.workflow_node_id, value: parsed.value });
  }
  return answers;
}

const GENERATED: readonly string[] = ['node.output', 'gate.verdict'];

/** The call that a card shows: a generation is shown by its patch or its answer. */
function callOf({ llm_call_id, source_invocation_id }: CardRecord): string | undefined {
  return llm_call_id === null ? (source_invocation_id ?? undefined) : undefined;
}
