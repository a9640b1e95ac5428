import type { AgentTurnSummary } from '../core/agents/agent-turn.js';
import { stateOf } from '../core/protocol/work-state.js';
import type { Entity } from '../core/world/world.js';
import type { ListedAgent } from '../operations/browse/agents.js';
import type { StirringWorld } from '../operations/browse/overview.js';
import type { Costing } from '../operations/costs/read-cost.js';
import type { ActiveWorld } from '../operations/worlds/worlds.js';
import type { ListedAttempt, ListedInvocation, ListedLlmCall, Readable } from '../ports/browse.js';
import type { OperatorActionRecord } from '../ports/operator-actions.js';
import type { ComponentSummary, StoredComponent } from '../ports/components.js';
import type { AttemptSummary, InvocationSummary } from '../ports/records.js';
import { columnsOf } from './members.js';
import { PLACES } from './places.js';
import {
  code,
  type Columns,
  faint,
  linkTo,
  linkToEntity,
  linkToTurn,
  moment,
  state,
  worldTime,
  failure,
  type Phrase,
} from './view.js';
import { callWord, count, labelOf, moneyOf, runWord, shorten, toDuration, tokensOf, tookFrom, words } from './words.js';

const LENGTH_MAX = 200;
const FAILURE_LENGTH_MAX = 36;

/** The calls of an attempt. */
export const callColumns: Columns<InvocationSummary> = {
  '#': ({ invocation_seq }) => invocation_seq,
  call: (call) => [linkTo('source_invocation', call.source_invocation_id, labelOf(call)), runWord(call)],
  subject: ({ workflow_subject_entity_id: subject }) => subject ?? faint('whole turn'),
  state: (call) => state(stateOf(call)),
  took: ({ duration_ms }) => duration_ms && toDuration(duration_ms),
  prompt: ({ llm_call_id }) => linkTo('llm_call', llm_call_id, 'prompt'),
  kind: callWord,
  node: ({ workflow_node_id }) => workflow_node_id,
  'adopted from': ({ adopted_from }) => linkTo('attempt', adopted_from),
};

/** The same with the reason. */
export const unfinishedColumns: Columns<InvocationSummary> = {
  ...callColumns,
  why: ({ failure_message }) => failure_message && shorten(failure_message, LENGTH_MAX),
};

const whereColumns: Columns<Pick<ListedInvocation, 'world_slug' | 'attempt_id' | 'attempted_turn' | 'started_at'>> = {
  world: ({ world_slug }) => linkTo('world', world_slug),
  attempt: ({ attempt_id, attempted_turn }) => linkTo('attempt', attempt_id, `turn ${attempted_turn}`),
  'began (UTC)': ({ started_at }) => moment(started_at),
};

/** The calls of many attempts. */
export const listedColumns: Columns<ListedInvocation> = {
  call: ({ source_invocation_id, command_key }) => linkTo('source_invocation', source_invocation_id, command_key),
  state: (call) => state(stateOf(call)),
  ...columnsOf<ListedInvocation>('duration_ms'),
  kind: callWord,
  prompt: ({ llm_call_id }) => linkTo('llm_call', llm_call_id, 'prompt'),
  ...whereColumns,
};

export const llmCallColumns: Columns<ListedLlmCall> = {
  'prompt of': ({ llm_call_id, workflow_subject_entity_id: subject }) => linkTo('llm_call', llm_call_id, subject),
  answer: ({ model_output_kind }) => words(model_output_kind),
  state: (call) => state(stateOf(call)),
  'tokens in': ({ input_tokens }) => input_tokens,
  out: ({ output_tokens }) => output_tokens,
  ...columnsOf<ListedLlmCall>('workflow_node_id', 'model'),
  ...whereColumns,
};

const costColumns: Columns<Partial<Costing>> = {
  tokens: ({ cost }) => (cost === undefined ? null : tokensOf(cost)),
  cost: ({ cost }) => (cost === undefined ? null : moneyOf(cost)),
};

/** The attempts of a world. */
export const attemptColumns: Columns<AttemptSummary & Partial<Costing>> = {
  ...columnsOf<AttemptSummary>('attempted_turn', 'attempt_id'),
  state: (attempt) => state(stateOf(attempt)),
  'why it failed': ({ failure_class, failed_source_invocation_id: id, calls_in_doubt }) => {
    const doubt = calls_in_doubt === 0 ? '' : `, ${count(calls_in_doubt, 'call')} in doubt`;
    const why = failure_class && shorten(`${failure_class}${doubt}`, FAILURE_LENGTH_MAX);
    return why === null || id === null ? why : linkTo('source_invocation', id, why);
  },
  calls: ({ source_invocation_count }) => source_invocation_count,
  ...costColumns,
  took: ({ started_at, ended_at }) => tookFrom(started_at, ended_at),
  'began (UTC)': ({ started_at }) => moment(started_at),
};

/** The attempts of many worlds. */
export const listedAttemptColumns: Columns<ListedAttempt> = {
  ...columnsOf<ListedAttempt>('attempt_id', 'world_slug', 'attempted_turn', 'status'),
  took: ({ started_at, ended_at }) => tookFrom(started_at, ended_at),
};

export const agentTurnColumns: Columns<AgentTurnSummary> = {
  ...columnsOf<AgentTurnSummary>('agent_id', 'state', 'began_at'),
  took: ({ began_at, worked_until }) => tookFrom(began_at, worked_until),
  'agent turn': ({ agent_turn_id }) => linkTo('agent_turn', agent_turn_id),
};

export const agentColumns = (world_slug: string): Columns<ListedAgent> => ({
  agent: ({ agent_id }) => linkToEntity(world_slug, agent_id),
  status: ({ status }) => state(status),
  epoch: ({ turn_epoch }) => turn_epoch,
  activity: ({ activity }) => words(activity),
  tool: ({ current_tool }) => current_tool,
  waiting: ({ waiting_tool_count }) => waiting_tool_count || null,
  'waits until (UTC)': ({ resume_deadline }) => moment(resume_deadline),
  ...costColumns,
  'latest turn': ({ latest_turn }) => state(latest_turn?.state ?? null),
  'agent turn': ({ active_agent_turn_id, latest_turn }) =>
    linkTo('agent_turn', active_agent_turn_id ?? latest_turn?.agent_turn_id ?? null),
});

/** How a world is, and the attempt that it waits for, or that failed. */
function whereItIs({ state: how, newest }: Pick<ActiveWorld, 'state' | 'newest'>): Phrase {
  if (newest === null || ['at rest', 'new', 'queued'].includes(how)) return state(how);
  const { attempt_id, attempted_turn, failure_class } = newest;
  const what = failure_class ?? `turn ${attempted_turn}`;
  const { path, command } = linkTo('attempt', attempt_id);
  return [state(how), ' ', { path, command, text: what }];
}

/** The worlds that run, wait or have failed. */
export const stirringColumns: Columns<StirringWorld> = {
  world: ({ world_slug }) => linkTo('world', world_slug),
  state: ({ state: how, ...newest }) => whereItIs({ state: how, newest }),
  'since (UTC)': ({ last_at }) => moment(last_at),
};

export const worldColumns: Columns<ActiveWorld & Partial<Readable>> = {
  turn: ({ world_slug, turn }) => linkToTurn(world_slug, turn),
  world: ({ world_slug }) => linkTo('world', world_slug),
  state: ({ is_readable = true, ...world }) => (is_readable ? whereItIs(world) : failure('cannot be read')),
  'time in it (UTC)': ({ simulation_time }) => worldTime(simulation_time),
  scenario: ({ scenario_hash, scenario_label }) => linkTo('scenario', scenario_hash, scenario_label),
  queued: ({ queued_turns, put_off }) =>
    queued_turns === 0 ? null : `${queued_turns}${put_off === null ? '' : ', deferred'}`,
  'forked from': ({ forked_from: from }) =>
    from === undefined ? null : linkToTurn(from.world_slug, from.turn, `${from.world_slug} at ${from.turn}`),
  'last active (UTC)': ({ newest, created_at }) => moment(newest?.last_at ?? created_at),
};

export const entityColumns: Columns<Entity> = {
  id: ({ id }) => code(id),
  name: ({ name }) => name,
  where: ({ environment }) => environment ?? null,
  state: ({ state: said }) => said,
  goal: ({ goal }) => goal ?? null,
  memories: ({ memory }) => memory.length || null,
};

export const documentColumns: Columns<StoredComponent> = {
  hash: ({ kind, hash }) => linkTo(kind, hash),
  label: ({ kind, hash, label }) => label && linkTo(kind, hash, label),
  'stored (UTC)': ({ created_at }) => moment(created_at),
};

export const componentColumns: Columns<ComponentSummary> = {
  kind: ({ kind }) => PLACES[kind].noun,
  label: ({ kind, hash, label }) => label && linkTo(kind, hash, label),
  hash: ({ kind, hash }) => linkTo(kind, hash),
};

/** What operators did, and why. */
export const actionColumns: Columns<OperatorActionRecord> = {
  what: ({ action, details }) => `${words(action)}${toDetails(details)}`,
  why: ({ reason }) => reason,
  outcome: ({ outcome }) => outcome ?? 'not known: the server ended meanwhile',
  by: ({ acted_by, surface }) => `${acted_by}, ${words(surface)}`,
  'when (UTC)': ({ acted_at }) => moment(acted_at),
  attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
};

function toDetails(details: OperatorActionRecord['details']): string {
  const said = Object.entries(details).map(
    ([name, value]) => `${words(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

/** In place of a list without worlds. */
export const NO_WORLDS = ['There is no world yet. Make one, and play three turns in it: ', code('npx chukwa park')];
