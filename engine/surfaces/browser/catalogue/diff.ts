import * as declared from '../../../catalogue/resources/worlds.js';
import type { DiffedChange, WorldDiff } from '../../../operations/diff-worlds.js';
import type { TurnPlace } from '../../../operations/worlds.js';
import type { EffectOrigin } from '../../../ports/worlds.js';
import { type Html, html } from '../html.js';
import { emptyState, itemPage, type Page, type View } from '../page.js';
import { whyLink } from '../parts/patch.js';
import { change } from '../parts/change.js';
import { linkTo, moreInJson } from '../parts/text.js';
import { pathOfPatch, pathOfTurn } from '../../../catalogue/places.js';
import { trailToWorld } from './overview.js';

export const diff: Page = itemPage(declared.diff, {
  view: viewDiff,
});

function viewDiff({ from, to, changes }: WorldDiff): View {
  const { world_slug } = to;
  const isOneWorld = from.world_slug === world_slug;
  return {
    title: isOneWorld
      ? `${world_slug}: turn ${from.turn} to turn ${to.turn}`
      : `${from.world_slug} at turn ${from.turn}, ${world_slug} at turn ${to.turn}`,
    eyebrow: isOneWorld ? 'What changed' : 'How two worlds differ',
    trail: trailToWorld(world_slug),
    lede: html`From ${placeLink(from)} to ${placeLink(to)}. Struck-out text is from the first.`,
    sections: [
      {
        id: 'changes',
        title: 'What is different',
        body:
          changes.length === 0
            ? emptyState('Nothing is different between the two.')
            : html`${drawChanges(changes.slice(0, CHANGES_SHOWN))}${moreInJson(changes.length - CHANGES_SHOWN)}`,
      },
    ],
  };
}

const CHANGES_SHOWN = 100;

function placeLink({ world_slug, turn }: TurnPlace): Html {
  return html`<a href="${pathOfTurn(world_slug, turn)}">${world_slug} at turn ${turn}</a>`;
}

function drawChanges(changes: readonly DiffedChange[]): Html {
  const owners = [...new Set(changes.map(ownerOf))];
  return html`${owners.map((owner) => html`<h3 class="who">${owner}</h3><ul class="effects">${changes.filter((one) => ownerOf(one) === owner).map(drawChange)}</ul>`)}`;
}

function ownerOf(one: DiffedChange): string {
  return one.kind === 'environment_content' ? one.environment_label : one.entity_id;
}

function drawChange(one: DiffedChange): Html {
  const latest = one.blame?.at(-1);
  return html`<li class="effect"><span class="op">${one.kind === 'entity_memory' ? 'remembers' : 'is now'}</span> <span class="change">${change(one.before, one.after)}</span> ${latest === undefined ? undefined : blame(latest)}</li>`;
}

/** Why a value is as it is: the prompt first, then the call and the patch. */
function blame(effect: EffectOrigin): Html {
  const { world_slug, turn, patch_seq, source_invocation_id, entity_id, environment_label } = effect;
  const label = `Why? The prompt that changed ${entity_id ?? environment_label} in turn ${turn}`;
  return html`<span class="blame">${whyLink(effect, label)} <a href="${pathOfPatch(world_slug, turn, patch_seq)}">turn ${turn}, patch ${patch_seq}</a> ${linkTo('source_invocation', source_invocation_id, 'the call')}</span>`;
}
