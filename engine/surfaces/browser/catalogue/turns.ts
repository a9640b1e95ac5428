import * as declared from '../../../catalogue/resources/worlds.js';
import type { Asked } from '../../../catalogue/resource.js';
import type { Entity } from '../../../core/world/world.js';
import type { PatchStory, TurnPage } from '../../../operations/browse/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { listPage, emptyState, itemPage, type Page, type View } from '../page.js';
import { drawEffects, drawPatch, type Names, namesIn, whyLink } from '../parts/patch.js';
import { drawPlaces } from '../parts/places.js';
import { type Columns, numbers, sentences, table } from '../parts/table.js';
import { count, worldTime } from '../parts/text.js';
import { PATCHES_ON_TURN, pathOfTurn } from '../../../catalogue/places.js';
import { decideTurn } from './decisions.js';
import { trailToWorld } from './overview.js';
import { attemptColumns, trailTo } from './worlds.js';

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
      { id: 'places', title: 'Places and entities at its end', body: drawPlaces(shown) },
      {
        id: 'attempts',
        title: 'Attempts at this turn',
        body: attempts.length > 0 && table('Attempts', attemptColumns, attempts),
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

const trailToTurn = (asked: Asked): View['trail'] => {
  const { world_slug, turn: number } = asked.parameters;
  return [...trailTo(asked), { path: pathOfTurn(world_slug, Number(number)), text: `turn ${number}` }];
};

const aboutTurn = (what: string) => (asked: Asked) => ({
  title: `${what} turn ${asked.parameters.turn} of ${asked.parameters.world_slug}`,
  trail: trailToTurn(asked),
});

const patchColumns: Columns<PatchStory> = {
  '#': numbers(({ patch_seq }) => html`<span id="patch-${patch_seq}">${patch_seq}</span>`),
  Subject: ({ workflow_subject_entity_id }) => workflow_subject_entity_id,
  'What happened': sentences((patch) => html`${patch.narration}${drawEffects(patch)}`),
  Why: (patch) => whyLink(patch, `Why? The prompt behind patch ${patch.patch_seq}`),
};

export const turnPatches: Page = listPage(declared.turnPatches, {
  about: aboutTurn('Patches of'),
  order: 'In the order of their application',
  columns: patchColumns,
  empty: emptyState('No patch was applied in this turn.'),
});

const entityColumns: Columns<Entity> = {
  Id: ({ id }) => html`<code>${id}</code>`,
  Name: ({ name }) => name,
  Where: ({ environment }) => environment ?? '',
  State: sentences(({ state }) => state),
  Goal: sentences(({ goal }) => goal ?? ''),
  Memories: numbers(({ memory }) => (memory.length === 0 ? '' : memory.length)),
};

export const turnEntities: Page = listPage(declared.turnEntities, {
  about: aboutTurn('Entities at the end of'),
  order: 'By id',
  columns: entityColumns,
  empty: emptyState('This world has no entities.'),
});
