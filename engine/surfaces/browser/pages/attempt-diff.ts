import * as declared from '../../../catalogue/resources/attempts.js';
import type { Json } from '../../../contract/json.js';
import { stateOf } from '../../../core/protocol/work-state.js';
import {
  type AttemptComparison,
  type ComparedCall,
  type ComparedPatch,
  type Comparison,
} from '../../../operations/browse/compare-attempts.js';
import type { InvocationSummary, PatchRecord } from '../../../ports/records.js';
import { type Html, html, NOTHING } from '../html.js';
import { emptyState, itemPage, type Page, type View } from '../page.js';
import { effectLine } from '../parts/patch.js';
import { change } from '../parts/change.js';
import { count, duration, linkTo, moreInJson, shorten, status } from '../parts/text.js';
import { labelOf } from '../../../catalogue/words.js';
import { trailToAttempt } from '../../../catalogue/view.js';
import { attemptColumns } from '../../../catalogue/tables.js';
import { rowsOf } from '../resource-page.js';

/** How much of an answer is shown beside another one. */
const ANSWER_LENGTH_MAX = 300;

export const attemptDiff: Page = itemPage(declared.attemptDiff, {
  view: viewComparison,
});

function viewComparison({ before, after, calls, counts, patches }: AttemptComparison): View {
  const { world_slug, attempted_turn } = after;
  const head = {
    title: `Two attempts ${before === null || before.attempted_turn === attempted_turn ? `at turn ${attempted_turn}` : `at turns ${before.attempted_turn} and ${attempted_turn}`} of ${world_slug}`,
    eyebrow: 'How two attempts differ',
    trail: trailToAttempt(after),
  };
  if (before === null) {
    const sentence = 'This is the first attempt at its turn. Name another one at the end of this address:';
    const body = emptyState(sentence, '?other=ATTEMPT');
    return { ...head, sections: [{ id: 'attempts', title: 'The two attempts', body }] };
  }
  const different = calls.filter(({ comparison }) => comparison !== 'same' && comparison !== 'adopted');
  const changed = patches.filter(({ comparison }) => comparison !== 'same');
  return {
    ...head,
    lede: html`Struck-out text is from the first.`,
    sections: [
      { id: 'attempts', title: 'The two attempts', body: rowsOf('The two attempts', attemptColumns, [before, after]) },
      {
        id: 'calls',
        title: 'Calls that differ',
        body: html`<p>${sayAlike(counts)}</p>${different.length === 0 ? emptyState('Both made the same requests, and got the same answers.') : html`<ul class="effects">${different.slice(0, SHOWN).map(drawCall)}</ul>${leftOut(counts, different.slice(0, SHOWN).length)}`}`,
      },
      { id: 'patches', title: 'Committed patches that differ', body: patches.length > 0 && drawPatches(changed) },
    ],
  };
}

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
  return `Of the calls of the first, ${count(adopted)} were adopted by the second, and ${count(same)} were made again with the same answers.`;
}

/** The JSON has the first 500 that differ. */
function leftOut(counts: AttemptComparison['counts'], shown: number): Html {
  const { only_before, only_after, asked_otherwise, answered_otherwise } = counts;
  const left = only_before + only_after + asked_otherwise + answered_otherwise - shown;
  return left > 0 ? html`<p class="note">${count(left)} more; the JSON has the first 500 of all.</p>` : NOTHING;
}

function drawCall({ command_key, comparison, before, after }: ComparedCall): Html {
  return html`<li class="effect"><code>${command_key}</code> <span class="op">${COMPARISON_WORDS[comparison]}</span>
<p class="blame">${oneCall('in the first', before)} ${oneCall('in the second', after)}</p><span class="change">${change(answerOf(before), answerOf(after))}</span></li>`;
}

function oneCall(where: string, call: InvocationSummary | null): Html {
  if (call === null) return NOTHING;
  const { source_invocation_id, llm_call_id, duration_ms } = call;
  return html`<span>${where}: ${linkTo('source_invocation', source_invocation_id, labelOf(call))}</span> ${status(stateOf(call))} <span class="dim">${duration(duration_ms)}</span> ${linkTo('llm_call', llm_call_id, 'prompt')}`;
}

function answerOf(call: InvocationSummary | null): string | null {
  if (call === null) return null;
  const { response_json, failure_message } = call;
  if (response_json === null) return failure_message && shorten(failure_message, ANSWER_LENGTH_MAX);
  const said = (response_json as Partial<Record<string, Json>>)['text'];
  return shorten(typeof said === 'string' ? said : JSON.stringify(response_json), ANSWER_LENGTH_MAX);
}

function drawPatches(changed: readonly ComparedPatch[]): Html {
  if (changed.length === 0) return emptyState('Both have the same patches.');
  return html`${changed.slice(0, SHOWN).map(drawPatch)}${moreInJson(changed.length - SHOWN)}`;
}

/** The values before the turn are left out: they are not the other attempt's result. */
function drawPatch({ workflow_subject_entity_id: subject, comparison, before, after }: ComparedPatch): Html {
  const effects = (patch: PatchRecord | null): Html =>
    patch === null
      ? NOTHING
      : html`<ul class="effects">${patch.effects.map((effect) => effectLine({ ...effect, state_before: null }))}</ul>`;
  return html`<section class="patch" aria-label="Patch of ${subject}"><h3>${subject} <span class="dim">${comparison === 'answered_otherwise' ? 'another patch' : COMPARISON_WORDS[comparison]}</span></h3><div class="narration">${change(before?.narration ?? null, after?.narration ?? null)}</div>
${effects(after ?? before)}</section>`;
}
