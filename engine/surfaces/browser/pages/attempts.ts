import { type AttemptPage } from '../../../operations/browse/attempts.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import { isUndriven } from '../../../core/protocol/work-state.js';
import { labelOf } from '../../../catalogue/words.js';
import { pathOf } from '../../../catalogue/places.js';
import { type Html, html, NOTHING } from '../html.js';
import type { Section } from '../page.js';
import { question } from '../parts/question.js';
import { callWord, count, linkTo, moment, runWord, timeSoFar } from '../parts/text.js';
import type { PageParts } from '../resource-page.js';
import { reportCall, settleCall } from '../../../catalogue/actions/calls.js';
import type { Action } from '../../../catalogue/action.js';

/** How many rows each list has. */
const ROWS_SHOWN = 30;

/** What the page of an attempt has beside its record: what somebody has to decide, and what runs now. */
export const attemptParts: PageParts<'Attempt'> = {
  sections: (shown) => [waits(shown), runsNow(shown)],
  sectionsAfter: ({ attempt_id }) => [
    {
      id: 'questions',
      title: 'Compare it',
      is_about_others: true,
      body: question(
        `${pathOf('attempt', attempt_id)}/diff`,
        'A difference',
        [{ name: 'other', label: 'With the attempt (empty: the one before it)' }],
        'Compare',
      ),
    },
  ],
};

/** A link to the rest of a list, where there is a rest. */
function more(isMore: boolean, path: string, text: string): Html {
  return isMore ? html`<p class="more"><a href="${path}">${text}</a></p>` : NOTHING;
}

/** The running calls, each with its time so far; none where the driver is gone. */
function runsNow(shown: AttemptPage): Section {
  const { attempt_id, read_at, unfinished, has_more_unfinished, timeline } = shown;
  const running = unfinished.filter(({ status: state }) => state === 'running');
  const isShown = read_at !== null && running.length > 0 && !isUndriven(shown);
  return {
    id: 'running',
    title: 'What runs now',
    body:
      isShown &&
      html`<ul class="plain">${running.slice(0, ROWS_SHOWN).map((call) => {
        const { source_invocation_id: id, llm_call_id, workflow_subject_entity_id: subject } = call;
        const began = timeline.find((event) => event.source_invocation_id === id)?.occurred_at ?? null;
        const name = llm_call_id === null ? labelOf(call) : 'what the model says';
        const link =
          llm_call_id === null ? linkTo('source_invocation', id, name) : linkTo('llm_call', llm_call_id, name);
        return html`<li><span class="status is-running"><span class="who">${subject ?? 'whole turn'}</span></span> ${callWord(call)}${runWord(call)}, ${link}, for ${timeSoFar(began, read_at)}</li>`;
      })}</ul>${more(has_more_unfinished || running.length > ROWS_SHOWN, `${pathOf('attempt', attempt_id)}/source-invocations?only=unfinished`, 'All that is open')}`,
  };
}

/** The calls for which an attempt, or the next one, waits, and the consequence of each decision. */
function waits({ attempt_id, awaited, is_adoptable, unfinished, calls_in_doubt }: AttemptPage): Section {
  const doubted = is_adoptable ? unfinished.filter(isInDoubt) : [];
  const left_out = Math.max(0, awaited.length - ROWS_SHOWN) + Math.max(0, calls_in_doubt - ROWS_SHOWN);
  return {
    id: 'waits',
    title: 'What waits for somebody',
    body:
      awaited.length + doubted.length > 0 &&
      html`${awaited.slice(0, ROWS_SHOWN).map(({ source_invocation_id: id, source_label, command_key, deadline }) => html`<p><strong>${linkTo('source_invocation', id, source_label)}</strong> is to answer <code>${command_key}</code> until ${moment(deadline)}. Then the call fails.</p>${drawChoices(reportCall, id)}`)}${doubted.slice(0, ROWS_SHOWN).map((call) => html`<p><strong>${linkTo('source_invocation', call.source_invocation_id, labelOf(call))}</strong>, <code>${call.command_key}</code>, is in doubt: nobody saw whether it took place. Until somebody decides, no turn of this world is begun.</p>${drawChoices(settleCall, call.source_invocation_id)}`)}${more(left_out > 0, `${pathOf('attempt', attempt_id)}/source-invocations?only=unfinished`, `${count(left_out)} more`)}`,
  };
}

/** The decisions about a call, with the effect of each; they are taken on the call's own page. */
function drawChoices({ forms }: Pick<Action, 'forms'>, source_invocation_id: string): Html {
  const path = pathOf('source_invocation', source_invocation_id);
  return html`<dl class="choices">${forms.map(({ id, title, consequence }) => html`<div><dt><a href="${path}#${id}">${title}</a></dt><dd>${consequence}</dd></div>`)}</dl>`;
}
