import type { PatchEffectRecord } from '../../../ports/records.js';
import { type Html, html, NOTHING } from '../html.js';
import { pathOf, pathOfTurn } from '../../../catalogue/places.js';
import { change } from './change.js';
import { count, FOLDED_NARRATION_MIN, foldable, linkTo, worldTime } from './text.js';
import { isAppended, saySources } from '../../../catalogue/patches.js';
import type { Names, Picture } from '../../../catalogue/view.js';
import type { PatchStory, TurnStory } from '../../../operations/browse/worlds.js';

function named(id: string, names: Names): Html {
  const name = names.get(id);
  return name === undefined || name === id ? html`${id}` : html`${name} <code class="dim">${id}</code>`;
}

/** The link to the prompt behind a patch; nothing without a model. @param label its text for a screen reader */
function whyLink({ llm_call_id }: Pick<PatchStory, 'llm_call_id'>, label: string): Html {
  if (llm_call_id === null) return NOTHING;
  return html`<a class="why" href="${pathOf('llm_call', llm_call_id)}" aria-label="${label}">Why?</a>`;
}

/** The effects of a patch, folded away behind their number. */
function drawEffects({ effects }: Pick<PatchStory, 'effects'>, who: Html, names: Names): Html {
  const changed = `changed ${effects.length} ${effects.length === 1 ? 'value' : 'values'}`;
  return html`<details><summary>${who}${changed}</summary><ul class="effects">${effects.map((effect) => effectLine(effect, names))}</ul></details>`;
}

/** The change of one effect. */
function effectLine(effect: PatchEffectRecord, names: Names): Html {
  const { op, entity_id, environment_label, state_before, state_after, sources } = effect;
  const from = sources === null ? '' : `, from ${saySources(sources)},`;
  return html`<li class="effect"><span class="who">${entity_id === null ? environment_label : named(entity_id, names)}</span> <span class="op">${isAppended(op) ? 'remembers' : 'is now'}${from}</span> <span class="change">${change(state_before, state_after)}</span></li>`;
}

type Told = Extract<Picture, { readonly of: 'story' }>['shown'];

/** Turns as prose: the first patches of each, with its changes and reason. */
export function drawStory({ turns, ...told }: Told, names: Names): Html {
  return html`${turns.map((turn) => drawTurn(told, turn, names))}`;
}

function drawTurn({ world_slug, patches_max }: Omit<Told, 'turns'>, story: TurnStory, names: Names): Html {
  const { turn, simulation_time, attempt_id, patches } = story;
  const left_out = patches.length - patches_max;
  const rest =
    left_out > 0
      ? html`<p class="patch"><a href="${pathOfTurn(world_slug, turn)}/patches">What ${count(left_out)} more did in this turn</a></p>`
      : NOTHING;
  return html`<article class="turn" id="turn-${turn}"><header><h3><a href="${pathOfTurn(world_slug, turn)}">Turn ${turn}</a></h3>
<p class="dim">${worldTime(simulation_time)} <span class="steps">${linkTo('attempt', attempt_id, 'the attempt')} <a href="${pathOf('world', world_slug)}/diff?from=${turn - 1}&amp;to=${turn}">what changed</a></span></p></header>
${patches.slice(0, patches_max).map((patch) => drawDeed(patch, names))}${rest}</article>`;
}

/** What happened, as it was told. */
function drawNarration(narration: string): Html {
  return html`<div class="narration">${foldable(narration, undefined, FOLDED_NARRATION_MIN)}</div>`;
}

function drawDeed(patch: PatchStory, names: Names): Html {
  const { turn, workflow_subject_entity_id: subject, narration } = patch;
  const why = whyLink(patch, `Why did ${subject} do that in turn ${turn}?`);
  return html`<section class="patch" aria-label="What ${subject} did in turn ${turn}">${narration === '' ? NOTHING : drawNarration(narration)}
<div class="effects-and-why">${why}${drawEffects(patch, html`<span class="who">${names.get(subject) ?? subject}</span> `, names)}</div></section>`;
}
