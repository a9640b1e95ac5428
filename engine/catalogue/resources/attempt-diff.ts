import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { stateOf } from '../../core/protocol/work-state.js';
import {
  type AttemptComparison,
  compareAttempts,
  type ComparedCall,
  type ComparedPatch,
  type Comparison,
} from '../../operations/browse/compare-attempts.js';
import type { InvocationSummary } from '../../ports/records.js';
import { drawEffect } from '../patches.js';
import { resource } from '../resource.js';
import { attemptColumns } from '../tables.js';
import {
  type Blocks,
  change,
  code,
  faint,
  linkTo,
  list,
  note,
  type Phrase,
  section,
  state,
  strong,
  table,
  trailToAttempt,
} from '../view.js';
import { grouped, labelOf, shorten, toDuration } from '../words.js';

export const attemptDiff = resource({
  name: 'compare_attempts',
  path: '/attempts/:attempt_id/diff',
  reader: 'consumer',
  says: 'The differences between two attempts: requests, answers and patches.',
  gives: 'AttemptComparison',
  takes: ['other'],
  read: (archive, { parameters: { attempt_id }, query: { other } }) =>
    compareAttempts(archive, present({ attempt_id, other })),
  view({ before, after, calls, counts, patches }) {
    const { world_slug, attempted_turn: turn } = after;
    const where =
      before === null || before.attempted_turn === turn ? `turn ${turn}` : `turns ${before.attempted_turn} and ${turn}`;
    const head = {
      title: `Two attempts at ${where} of ${world_slug}`,
      eyebrow: 'How two attempts differ',
      trail: trailToAttempt(after),
    };
    const first = note(
      'This is the first attempt at its turn. Name another one at the end of this address: ',
      code('?other=ATTEMPT'),
    );
    if (before === null) return { ...head, sections: [section('attempts', 'The two attempts', first)] };
    const different = calls.filter(({ comparison }) => comparison !== 'same' && comparison !== 'adopted');
    const changed = patches.filter(({ comparison }) => comparison !== 'same');
    return {
      ...head,
      lede: 'Struck-out text is from the first.',
      sections: [
        section('attempts', 'The two attempts', table([before, after], attemptColumns)),
        section('calls', 'Calls that differ', note(sayAlike(counts)), drawCalls(different, counts)),
        section('patches', 'Committed patches that differ', patches.length > 0 && drawPatches(changed)),
      ],
    };
  },
});

/** How much of an answer is shown beside another one. */
const ANSWER_LENGTH_MAX = 300;
const SHOWN = 50;

const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  only_before: 'only in the first',
  only_after: 'only in the second',
  adopted: 'adopted',
  asked_otherwise: 'another request',
  answered_otherwise: 'the same request',
  same: 'the same',
};

function sayAlike({ adopted, same }: AttemptComparison['counts']): string {
  return `Of the calls of the first, ${grouped(adopted)} were adopted by the second, and ${grouped(same)} were made again with the same answers.`;
}

/** The JSON has the first 500 that differ. */
function drawCalls(different: readonly ComparedCall[], counts: AttemptComparison['counts']): Blocks {
  if (different.length === 0) return [note('Both made the same requests, and got the same answers.')];
  const shown = different.slice(0, SHOWN);
  const { only_before, only_after, asked_otherwise, answered_otherwise } = counts;
  const left = only_before + only_after + asked_otherwise + answered_otherwise - shown.length;
  return [list(shown.map(drawCall)), left > 0 && note(`${left} more; the JSON has the first 500 of all.`)];
}

function drawCall({ command_key, comparison, before, after }: ComparedCall): Blocks {
  return [
    note(code(command_key), '  ', faint(COMPARISON_WORDS[comparison])),
    note(sayCall('in the first: ', before), ' ', sayCall('in the second: ', after)),
    change(answerOf(before), answerOf(after)),
  ];
}

function sayCall(where: string, call: InvocationSummary | null): Phrase {
  if (call === null) return null;
  const { source_invocation_id, llm_call_id, duration_ms } = call;
  return [
    where,
    linkTo('source_invocation', source_invocation_id, labelOf(call)),
    ' ',
    state(stateOf(call)),
    duration_ms === null ? null : faint(` ${toDuration(duration_ms)} `),
    linkTo('llm_call', llm_call_id, 'prompt'),
  ];
}

function answerOf(call: InvocationSummary | null): string | null {
  if (call === null) return null;
  const { response_json, failure_message } = call;
  if (response_json === null) return failure_message && shorten(failure_message, ANSWER_LENGTH_MAX);
  const said = (response_json as Partial<Record<string, Json>>)['text'];
  return shorten(typeof said === 'string' ? said : JSON.stringify(response_json), ANSWER_LENGTH_MAX);
}

function drawPatches(changed: readonly ComparedPatch[]): Blocks {
  if (changed.length === 0) return [note('Both have the same patches.')];
  const left = changed.length - SHOWN;
  return [list(changed.slice(0, SHOWN).map(drawPatch)), left > 0 && note(`${left} more; the JSON has them all.`)];
}

/** The values before the turn are left out: they are not the other attempt's result. */
function drawPatch({ workflow_subject_entity_id: subject, comparison, before, after }: ComparedPatch): Blocks {
  const { effects = [] } = after ?? before ?? {};
  return [
    note(
      strong(subject),
      '  ',
      faint(comparison === 'answered_otherwise' ? 'another patch' : COMPARISON_WORDS[comparison]),
    ),
    change(before?.narration ?? null, after?.narration ?? null),
    ...effects.map((effect) => drawEffect({ ...effect, state_before: null })),
  ];
}
