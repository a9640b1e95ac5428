import { type ResolvedAgentTurn, type ResolvedCard, showAgentTurn } from '../../operations/browse/agents.js';
import { pathOf } from '../places.js';
import { toPhrase } from '../phrase.js';
import { members } from '../members.js';
import { resource } from '../resource.js';
import {
  type Block,
  type Blocks,
  failure,
  faint,
  folded,
  inShort,
  type Link,
  linkTo,
  list,
  moment,
  note,
  section,
  state,
  strong,
  table,
  trailToAttempt,
  value,
} from '../view.js';
import { costFacts, count, failureName, shortHash, tookFrom, words } from '../words.js';

export const agentTurn = resource({
  name: 'get_agent_turn',
  path: '/agent-turns/:agent_turn_id',
  command: 'agent-turn',
  reader: 'consumer',
  says: 'Show one turn of an agent: its context, its actions and its result.',
  gives: 'AgentTurn',
  read: (archive, { parameters: { agent_turn_id }, reader }) => showAgentTurn(archive, { agent_turn_id, reader }),
  view(turn) {
    const { agent_id, world_slug, attempted_turn, context_box, output_box, events, execution_edges } = turn;
    return {
      eyebrow: 'Agent turn',
      title: `${agent_id} in turn ${attempted_turn} of ${world_slug}`,
      trail: trailToAttempt(turn),
      lede: [state(turn.state), hadAnswered(turn) ? '. It had answered; then its attempt failed.' : null],
      sections: [
        section('context', 'What it was given', drawCards(turn, context_box?.cards ?? [])),
        section('output', 'What it did, and what it left', drawCards(turn, output_box.cards), drawWaiting(turn)),
        inShort({
          world: linkTo('world', world_slug),
          attempt: [linkTo('attempt', turn.attempt_id), ', ', turn.attempt_status],
          ...members(turn, 'turn_epoch', 'began_at'),
          took: tookFrom(turn.began_at, turn.worked_until),
          ...costFacts(turn.cost),
          'context box': context_box?.box_id ?? null,
          'output box': output_box.box_id,
          id: turn.agent_turn_id,
        }),
        section(
          'edges',
          'What caused what',
          table(
            execution_edges,
            {
              edge: ({ primitive }) => words(primitive),
              phase: ({ edge_phase }) => edge_phase,
              'call or message': ({ correlation_id }) => correlation_id,
              'at (UTC)': ({ occurred_at }) => moment(occurred_at),
            },
            'Nothing yet.',
          ),
        ),
        section(
          'events',
          'Events',
          note(faint('In order, folded from the record; live streams send AG-UI events instead.')),
          folded(
            count(events.length, 'event'),
            list(
              events.map(({ subject, payload: { agent_turn_id: _turn, ...said } }) => [
                note(strong(subject), '  ', faint(toPhrase(said))),
              ]),
            ),
          ),
        ),
      ],
    };
  },
});

function hadAnswered({ deliverable_card_id, output_box }: ResolvedAgentTurn): boolean {
  const left = output_box.cards.find(({ card_id }) => card_id === deliverable_card_id)?.content;
  return (
    left !== null && typeof left === 'object' && 'failure_class' in left && left.failure_class === 'attempt_failed'
  );
}

function drawWaiting({ outcome, waiting_tools }: ResolvedAgentTurn): Blocks {
  const waiting = waiting_tools.filter(({ received_at }) => outcome === null && received_at === null);
  return waiting.map(({ tool_call_id }) =>
    note('It waits for the answer of ', linkTo('source_invocation', tool_call_id, 'this call'), '.'),
  );
}

/** The kinds of cards, in a reader's words. */
const CARD_WORDS: Readonly<Record<string, string>> = {
  'task.instruction': 'the workflow that it ran',
  'task.result_fields': 'the schema of its answer',
  'task.deliverable': 'what it left',
  'ambient.reading': 'a reading',
  'tool.call': 'called a tool',
  'tool.result': 'what the tool answered',
  'node.output': 'what a node gave',
  'gate.verdict': 'what a gate decided',
};

function drawCards({ attempt_id }: ResolvedAgentTurn, cards: readonly ResolvedCard[]): Blocks {
  return cards.length === 0 ? [note('Nothing.')] : [list(cards.map((card) => drawCard(attempt_id, card)))];
}

function drawCard(attempt_id: string, card: ResolvedCard): Blocks {
  const { kind, component_hash, source_invocation_id, llm_call_id, patch_seq, content, tells } = card;
  const call = llm_call_id === null ? linkTo('source_invocation', source_invocation_id, 'the call') : null;
  const pointers = [
    kind === 'task.instruction'
      ? linkTo('cognition_workflow', component_hash)
      : component_hash && shortHash(component_hash),
    patch_seq === null ? null : linkToPatch(attempt_id, patch_seq),
    call,
    linkTo('llm_call', llm_call_id, 'the prompt'),
  ].filter((pointer) => pointer !== null);
  return [
    note(strong(CARD_WORDS[kind] ?? words(kind)), ...pointers.flatMap((pointer) => ['  ', pointer])),
    tells && drawTold(tells),
    content !== null && value('it says', content),
  ];
}

function linkToPatch(attempt_id: string, patch_seq: number): Link {
  const path = `${pathOf('attempt', attempt_id)}#patch-${patch_seq}`;
  return { path, command: ['attempt', attempt_id], text: `patch ${patch_seq}` };
}

function drawTold({ of, value: said, failure: broke }: NonNullable<ResolvedCard['tells']>): Block {
  if (broke === null) return value(of, said);
  const why = failureName(broke.failure_class ?? 'failed', broke.failure_detail);
  return note(strong(of), ': ', failure(`${why}: ${broke.failure_message ?? ''}`));
}
