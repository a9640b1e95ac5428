import * as declared from '../../../catalogue/resources/worlds.js';
import type { PatchStory, TurnPage } from '../../../operations/browse/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { emptyState, itemPage, nextPart, type Page, type View } from '../page.js';
import { drawPatch, type Names, namesIn } from '../parts/patch.js';
import { drawPlaces } from '../parts/places.js';
import { count, worldTime } from '../parts/text.js';
import { PATCHES_ON_TURN, pathOfTurn } from '../../../catalogue/places.js';
import { decideTurn } from './decisions.js';
import { trailToWorld } from '../../../catalogue/view.js';
import { attemptColumns } from '../../../catalogue/tables.js';
import { costOf, rowsOf } from '../resource-page.js';

export const turn: Page = itemPage(declared.turn, {
  view: viewTurn,
});

function viewTurn(shown: TurnPage): View {
  const { world_slug, turn: number, last_turn, story, attempts } = shown;
  const step = (to: number, text: string): Html =>
    to < 0 || to > last_turn ? NOTHING : html`<a href="${pathOfTurn(world_slug, to)}">${text}</a> `;
  return {
    title: `Turn ${number} of ${world_slug}`,
    eyebrow: 'World at a turn',
    trail: trailToWorld(world_slug),
    lede: html`${worldTime(shown.simulation_time)} of its own time. <span class="steps">${step(number - 1, '← the turn before')}${step(number + 1, 'the turn after →')}</span>`,
    sections: [
      {
        id: 'story',
        title: 'What happened',
        body:
          story === null
            ? emptyState(
                number === 0 ? 'Nothing yet: this is how the world began.' : 'No patch was applied in this turn.',
              )
            : html`${story.patches.slice(0, PATCHES_ON_TURN).map((patch) => showPatch(patch, namesIn(shown)))}${morePatches(shown)}`,
      },
      { id: 'cost', title: 'What it has cost', body: shown.cost.calls > 0 && costOf(shown.cost) },
      { id: 'places', title: 'Places and entities at its end', body: drawPlaces(shown) },
      {
        id: 'attempts',
        title: 'Attempts at this turn',
        body: attempts.length > 0 && rowsOf('Attempts', attemptColumns, attempts),
      },
    ],
    decisions: decideTurn(shown),
  };
}

function morePatches({ world_slug, turn: number, story }: TurnPage): Html {
  const patches = story?.patches.length ?? 0;
  if (patches <= PATCHES_ON_TURN) return NOTHING;
  return html`<p class="more"><a href="${pathOfTurn(world_slug, number)}/patches?after=${PATCHES_ON_TURN}">The patches after these, of ${count(patches)}</a></p>`;
}

/** The effects of a patch name the call that it came from. */
function showPatch(patch: PatchStory, names: Names): Html {
  return drawPatch({ ...patch, source_invocation_id: patch.effects[0]?.source_invocation_id }, names);
}

export const turnPatches: Page = itemPage(declared.turnPatches, {
  view: ({ rows, next }, asked): View => {
    const { world_slug, turn: number } = asked.parameters;
    const shown = rows.map((patch) => showPatch(patch, new Map()));
    return {
      title: `Patches of turn ${number} of ${world_slug}`,
      eyebrow: 'List',
      trail: [...trailToWorld(world_slug), { path: pathOfTurn(world_slug, Number(number)), text: `turn ${number}` }],
      sections: [
        {
          id: 'rows',
          title: 'In the order of their application',
          body: html`${shown.length === 0 ? emptyState('No patch is here, or none more.') : shown}${nextPart(next, asked)}`,
        },
      ],
    };
  },
});
