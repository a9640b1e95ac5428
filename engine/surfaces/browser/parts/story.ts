import type { PatchStory, TurnStory } from '../../../operations/browse/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { pathOf, pathOfTurn } from '../places.js';
import { drawEffects, whyLink } from './patch.js';
import { count, linkTo, worldTime } from './text.js';

/** A turn as prose: its first patches, each with what it changed and why. @param patches_max how many patches are told */
export function tellTurn(world_slug: string, story: TurnStory, patches_max: number): Html {
  const { turn, simulation_time, attempt_id, patches } = story;
  const left_out = patches.length - patches_max;
  const rest =
    left_out > 0
      ? html`<p class="patch"><a href="${pathOfTurn(world_slug, turn)}/patches">What ${count(left_out)} more did in this turn</a></p>`
      : NOTHING;
  return html`<article class="turn"><header><h3><a href="${pathOfTurn(world_slug, turn)}">Turn ${turn}</a></h3>
<p class="dim">${worldTime(simulation_time)} <span class="steps">${linkTo('attempt', attempt_id, 'the attempt')} <a href="${pathOf('world', world_slug)}/diff?from=${turn - 1}&amp;to=${turn}">what changed</a></span></p></header>
${patches.slice(0, patches_max).map(tellPatch)}${rest}</article>`;
}

function tellPatch(patch: PatchStory): Html {
  const { turn, workflow_subject_entity_id: subject, narration } = patch;
  const why = whyLink(patch, `Why did ${subject} do that in turn ${turn}?`);
  return html`<section class="patch" aria-label="What ${subject} did in turn ${turn}"><p class="narration">${narration}</p>
<div class="told">${why}${drawEffects(patch, html`<span class="who">${subject}</span> `)}</div></section>`;
}
