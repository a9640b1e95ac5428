import type { SegmentOrigin } from '../prompt/message.js';
import { QUOTE_MARK } from '../prompt/quote.js';
import { PATCH_OPERATIONS, targetOf } from './patch-operations.js';
import type { EffectOperation } from './world-patch.js';

/** When something happened in a world: its turn, and the number of the call in that turn. */
interface Moment {
  readonly turn: number;
  readonly invocation_seq: number;
}

/** A segment of a prompt that holds a text. */
export interface ShownText extends Moment {
  readonly agent_id: string;
  readonly llm_call_id: string;
  readonly origin: SegmentOrigin;
  /** The whole segment. */
  readonly segment: string;
}

/** A narration or an effect that holds it; the moment is that of the generation that gave the patch. */
export interface WrittenText extends Moment {
  readonly patch_seq: number;
  readonly agent_id: string;
  readonly op: EffectOperation | 'narration';
  /** What the effect changed; of a narration, its agent. */
  readonly target: string;
  /** Of a memory that an author has a node write: the ids of the memories that the node was shown. */
  readonly sources?: readonly string[];
}

/** An answer of a source that holds it. */
export interface AnsweredText extends Moment {
  /** Null where the answer was for all subjects of the turn. */
  readonly agent_id: string | null;
  readonly source_invocation_id: string;
  readonly source_label: string;
}

/** Everything of a world's record that holds one text, in any order. */
export interface TextRecord {
  /** It has no line breaks. */
  readonly text: string;
  readonly shown: readonly ShownText[];
  readonly written: readonly WrittenText[];
  readonly answered: readonly AnsweredText[];
}

/** How a text came to an agent. */
export type CameBy =
  | { readonly kind: 'patch'; readonly patch: WrittenText }
  | { readonly kind: 'answer'; readonly answer: AnsweredText }
  /** Of texts that no patch and no source has. */
  | { readonly kind: 'author' | 'scenario' }
  /** Its prompts did not have the text when it first said it. */
  | { readonly kind: 'own_words' };

/** The first time that an agent was shown a text, or said it without that. */
export interface LearntText {
  readonly turn: number;
  readonly agent_id: string;
  /** Null where it was not shown the text before it said it. */
  readonly shown: ShownText | null;
  readonly came_by: CameBy;
}

/**
 * Follows a text back: from an agent's first prompt with it, through the patches that carried it, to whoever said it first.
 * @returns each agent that it came through, the asked one first; empty where no prompt of the agent has it
 */
export function traceText(record: TextRecord, agent_id: string): readonly LearntText[] {
  const path: LearntText[] = [];
  let learner = agent_id;
  let before: Moment = { turn: Infinity, invocation_seq: Infinity };
  for (;;) {
    const shown = findFirst(record, learner, before);
    if (shown === undefined) {
      const said = path.at(-1);
      return said === undefined
        ? path
        : [...path, { turn: before.turn, agent_id: learner, shown: null, came_by: { kind: 'own_words' } }];
    }
    const came_by = findCarrier(record, shown);
    path.push({ turn: shown.turn, agent_id: learner, shown, came_by });
    if (came_by.kind !== 'patch') return path;
    // What its writer knew by then: always earlier, so that the path ends.
    before = came_by.patch;
    learner = came_by.patch.agent_id;
  }
}

/** The first prompt of an agent that has the text, not later than a moment; of its segments, one that a record explains. */
function findFirst(record: TextRecord, agent_id: string, until: Moment): ShownText | undefined {
  const own = record.shown.filter((shown) => shown.agent_id === agent_id && !isAfter(shown, until));
  const [first, ...others] = own.toSorted(byMoment);
  if (first === undefined) return undefined;
  const together = [first, ...others.filter(({ llm_call_id }) => llm_call_id === first.llm_call_id)];
  return together.find((shown) => ['patch', 'answer'].includes(findCarrier(record, shown).kind)) ?? first;
}

function findCarrier({ text, written, answered }: TextRecord, shown: ShownText): CameBy {
  const carries = CARRIERS[shown.origin];
  if (carries === 'answer') {
    const isFor = ({ agent_id }: AnsweredText): boolean => agent_id === null || agent_id === shown.agent_id;
    const answer = answered.find((one) => one.turn === shown.turn && isAfter(shown, one) && isFor(one));
    return answer === undefined ? { kind: 'own_words' } : { kind: 'answer', answer };
  }
  if (typeof carries === 'string') return { kind: carries };
  const isCarrier = carries(shown, text);
  const carrying = written.filter((patch) => isAfter(shown, patch) && isCarrier(patch));
  const patch = carrying.toSorted(byMoment).at(-1);
  return patch === undefined ? { kind: 'scenario' } : { kind: 'patch', patch };
}

/** Tells, by the lines of a segment that have the text, which patches put it there. */
type Carries = (shown: ShownText, text: string) => (patch: WrittenText) => boolean;

const inProjection: Carries = ({ segment }, text) => {
  const shown = JSON.parse(segment.split('\n')[1] ?? '{}') as {
    readonly entities?: Readonly<Record<string, { readonly state: string }>>;
    readonly environments?: Readonly<Record<string, string>>;
  };
  return (patch) => {
    const changes = changeOf(patch);
    const { [patch.target]: environment } = shown.environments ?? {};
    const { [patch.target]: entity } = shown.entities ?? {};
    return (
      (changes === 'environment_content' ? environment : changes === 'entity_state' ? entity?.state : '')?.includes(
        text,
      ) === true
    );
  };
};

const inEvents: Carries = ({ segment }, text) => {
  const heads = listHeads(segment, text);
  return ({ turn, op, target }) =>
    heads.some(({ head, turn: shown_turn }) => {
      if (shown_turn !== turn) return false;
      if (op === 'narration') return head.startsWith('- ') && head.includes(`(id: ${target}): `);
      const place = targetOf(op) === 'environment_label' ? 'the place ' : '';
      return head.startsWith(`  - ${place}${target} ${PATCH_OPERATIONS[op].perceived_as ?? 'remembers'}: `);
    });
};

const inMemories: Carries = ({ segment, agent_id }, text) => {
  const heads = listHeads(segment, text);
  return (patch) => {
    if (patch.target !== agent_id) return false;
    const changes = changeOf(patch);
    if (changes === 'entity_memory')
      return heads.some(({ head, turn }) => turn === patch.turn && head.startsWith('- '));
    return changes === 'entity_state' && heads.some(({ head }) => head.startsWith('State: '));
  };
};

function changeOf({ op }: WrittenText) {
  return op === 'narration' ? op : PATCH_OPERATIONS[op].changes;
}

/** The lines of a segment that begin what has the text, each with the turn that is named there or before. */
function listHeads(segment: string, text: string) {
  const heads: { readonly head: string; readonly turn: number }[] = [];
  let head = '';
  let turn = 0;
  for (const line of segment.split('\n')) {
    if (!line.startsWith(QUOTE_MARK)) head = line;
    turn = Number(/^- \[turn (\d+)\]/.exec(line)?.[1] ?? turn);
    if (line.includes(text)) heads.push({ head, turn });
  }
  return heads;
}

/** What may have put a text into a segment: patches that fit, or something else. */
const CARRIERS: Readonly<Record<SegmentOrigin, Carries | Exclude<CameBy['kind'], 'patch'>>> = {
  author: 'author',
  schema: 'author',
  last_lap: 'author',
  'tools.available': 'author',
  world: 'scenario',
  subject: 'scenario',
  'memory.pinned': 'scenario',
  'world.projection': inProjection,
  'world.recent_events': inEvents,
  'subject.own_turns': inEvents,
  'subject.rendered': inMemories,
  'memory.retrieved': inMemories,
  'ambient.visible': 'answer',
  tool_result: 'answer',
  nodes: 'answer',
  model: 'own_words',
  reasoning: 'own_words',
  function_call: 'own_words',
  call_id: 'own_words',
  correction: 'own_words',
};

function isAfter(one: Moment, other: Moment): boolean {
  return byMoment(one, other) > 0;
}

function byMoment(one: Moment, other: Moment): number {
  return one.turn - other.turn || one.invocation_seq - other.invocation_seq;
}
