import type { Json } from '../../../contract/json.js';
import type { AgentEventRecord, AgentTurnSummary } from '../../../core/agents/agent-turn.js';
import type { ListedAgent, ResolvedAgentTurn, ResolvedCard } from '../../../operations/agents.js';
import { beganLine } from './block.js';
import { toReason } from './call.js';
import { toPhrase } from '../../../catalogue/phrase.js';
import {
  advice,
  bad,
  command,
  EMPTY,
  faint,
  good,
  hanging,
  type Line,
  line,
  type Lines,
  type Span,
  strong,
  verbatim,
} from './line.js';
import { type Columns, tableLines } from './table.js';
import { count, failureName, shortHash, toMoment } from '../../../catalogue/words.js';

export function agentListLines(agents: readonly ListedAgent[]): Lines {
  if (agents.length === 0) return [line('This world has no agents.')];
  return [
    tableLines(agents, AGENT_COLUMNS),
    agents.flatMap(({ agent_id, resume_deadline }) =>
      resume_deadline === null ? [] : [line(`${agent_id} waits until ${toMoment(resume_deadline)} at most.`)],
    ),
  ];
}

const AGENT_COLUMNS: Columns<ListedAgent> = {
  agent: ({ agent_id }) => agent_id,
  status: ({ status }) => status,
  epoch: ({ turn_epoch }) => turn_epoch,
  activity: ({ activity }) => activity,
  tool: ({ current_tool }) => current_tool,
  waiting: ({ waiting_tool_count }) => waiting_tool_count || null,
  'latest turn': ({ latest_turn }) => latest_turn?.state ?? null,
  'agent turn': ({ active_agent_turn_id, latest_turn }) => active_agent_turn_id ?? latest_turn?.agent_turn_id ?? null,
};

export function agentTurnListLines(turns: readonly AgentTurnSummary[]): Lines {
  if (turns.length === 0) return [];
  return [
    EMPTY,
    line(strong(count(turns.length, 'agent turn'))),
    turns.map((turn) =>
      verbatim('  ', strong(turn.agent_id), '  ', toState(turn), faint(`  agent-turn ${turn.agent_turn_id}`)),
    ),
  ];
}

/** One agent turn: its boxes and its events, in order. */
export function agentTurnLines(turn: ResolvedAgentTurn): Lines {
  const { agent_turn_id, agent_id, turn_epoch, world_slug, attempted_turn, attempt_id, began_at, worked_until } = turn;
  return [
    verbatim(strong(`agent-turn ${agent_turn_id}`), '  ', toState(turn)),
    line(`world ${world_slug} · turn ${attempted_turn} · agent ${agent_id} · epoch ${turn_epoch}`),
    verbatim(faint(`attempt ${attempt_id}, ${turn.attempt_status}`)),
    beganLine(began_at, worked_until),
    waitingLines(turn),
    turn.context_box !== null && boxLines('what it was given', 'context box', turn.context_box),
    boxLines('what it did, and what it left', 'output box', turn.output_box),
    EMPTY,
    line(
      strong(count(turn.events.length, 'event')),
      faint('  in order, folded from the record; live streams send AG-UI events instead'),
    ),
    turn.events.map(eventLine),
    EMPTY,
    line(
      strong(count(turn.execution_edges.length, 'execution edge')),
      faint('  causes and effects, with the id of the call or the message'),
    ),
    turn.execution_edges.map(({ primitive, edge_phase, correlation_id }) =>
      verbatim(`  ${primitive.padEnd(9)} ${edge_phase.padEnd(8)}`, faint(`  ${correlation_id}`)),
    ),
  ];
}

function waitingLines({ outcome, waiting_tools }: ResolvedAgentTurn): Lines {
  return waiting_tools
    .filter(({ received_at }) => outcome === null && received_at === null)
    .map(({ tool_call_id }) => verbatim('waits for an answer:  ', command('invocation', tool_call_id)));
}

/** A turn that was not kept is nobody's fault, so it has no colour. */
function toState({ outcome, state }: AgentTurnSummary): Span {
  if (outcome === null || outcome !== state) return { text: state };
  return outcome === 'success' ? good(state) : bad(state);
}

function boxLines(title: string, name: string, { box_id, cards }: ResolvedAgentTurn['output_box']): Lines {
  return [EMPTY, verbatim(strong(title), faint(`  ${name} ${box_id}, a card a line`)), cards.flatMap(cardLines)];
}

function cardLines(card: ResolvedCard): Lines {
  const pointers = [
    ...(card.component_hash === null ? [] : [`component ${shortHash(card.component_hash)}`]),
    ...(card.patch_seq === null ? [] : [`patch ${card.patch_seq}`]),
    ...(card.llm_call_id === null ? [] : [`llm-call ${card.llm_call_id}`]),
    ...(card.source_invocation_id === null || card.llm_call_id !== null
      ? []
      : [`invocation ${card.source_invocation_id}`]),
  ];
  const start = `  ${card.kind.padEnd(20)}`;
  return [
    verbatim(start, faint(pointers.join(' · '))),
    card.tells !== null && hanging(24, ' '.repeat(22), strong(card.tells.of), ': ', ...toTold(card.tells)),
    card.content !== null && hanging(24, ' '.repeat(22), toPhrase(card.content)),
  ];
}

function toTold({ value, failure }: NonNullable<ResolvedCard['tells']>): readonly Span[] {
  if (failure === null) return [{ text: toSaid(value) }];
  const { failure_class, failure_detail, failure_message } = failure;
  return [
    bad(failureName(failure_class ?? 'failed', failure_detail)),
    ...advice({ text: `: ${toReason(failure_message ?? '')}` }),
  ];
}

/** A narration is shown as it is; every other value in a few words. */
function toSaid(value: Json): string {
  return typeof value === 'string' ? value : toPhrase(value);
}

function eventLine({ subject, payload }: AgentEventRecord): Line {
  const { agent_turn_id: _turn, ...rest } = payload;
  return hanging(6, '  ', strong(subject), faint(`  ${toPhrase(rest)}`));
}
