import { browseTurn, listPatchesPart, type PatchStory, type TurnPage } from '../../operations/browse/worlds.js';
import { namesIn, patchList } from '../patches.js';
import { placeList } from '../place-list.js';
import { PATCHES_ON_TURN, pathOfTurn } from '../places.js';
import { listResource, resource } from '../resource.js';
import { attemptColumns } from '../tables.js';
import {
  type Blocks,
  facts,
  type Link,
  linkToTurn,
  type Names,
  note,
  picture,
  section,
  table,
  trailToWorld,
  worldTime,
} from '../view.js';
import { costFacts, grouped } from '../words.js';

export const turn = resource({
  name: 'get_turn',
  path: '/worlds/:world_slug/turns/:turn',
  reader: 'consumer',
  says: 'A world at the end of a turn, and the patches of that turn.',
  gives: 'Turn',
  read: (archive, { parameters: { world_slug, turn: at } }) => browseTurn(archive, { world_slug, turn: at }),
  view(shown) {
    const { world_slug, turn: number, last_turn, story, attempts } = shown;
    const step = (to: number, text: string): Link | null =>
      to < 0 || to > last_turn ? null : linkToTurn(world_slug, to, text);
    const before = step(number - 1, '← the turn before');
    const after = step(number + 1, 'the turn after →');
    const none = number === 0 ? 'Nothing yet: this is how the world began.' : 'No patch was applied in this turn.';
    return {
      title: `Turn ${number} of ${world_slug}`,
      eyebrow: 'World at a turn',
      trail: trailToWorld(world_slug),
      lede: [worldTime(shown.simulation_time), ' of its own time. ', before, before && after && ' · ', after],
      sections: [
        section(
          'story',
          'What happened',
          story === null ? note(none) : drawPatches(shown, story.patches, namesIn(shown)),
        ),
        section('cost', 'What it has cost', facts(costFacts(shown.cost))),
        section('places', 'Places and entities at its end', picture({ of: 'places', shown }, placeList(shown))),
        section('attempts', 'Attempts at this turn', table(attempts, attemptColumns)),
      ],
    };
  },
});

function drawPatches({ world_slug, turn: number }: TurnPage, patches: readonly PatchStory[], names: Names): Blocks {
  const rest = { path: `${pathOfTurn(world_slug, number)}/patches?after=${PATCHES_ON_TURN}`, command: [] };
  return [
    patchList(patches.slice(0, PATCHES_ON_TURN).map(withCall), names),
    patches.length > PATCHES_ON_TURN &&
      note({ ...rest, text: `The patches after these, of ${grouped(patches.length)}` }),
  ];
}

/** The effects of a patch name the call that it came from. */
function withCall(patch: PatchStory) {
  return { ...patch, source_invocation_id: patch.effects[0]?.source_invocation_id };
}

export const turnPatches = listResource({
  path: '/worlds/:world_slug/turns/:turn/patches',
  reader: 'consumer',
  says: 'The patches of a turn, in the order of their application.',
  gives: 'Patches',
  cursor: 'number',
  keyOf: ({ patch_seq }) => String(patch_seq),
  read: (archive, { parameters: { world_slug, turn: at } }, part) =>
    listPatchesPart(archive, { world_slug, turn: at }, part),
  title: ({ parameters: { world_slug, turn: at } }) => `Patches of turn ${at} of ${world_slug}`,
  order: 'In the order of their application',
  draw: (rows) => patchList(rows.map(withCall)),
  empty: 'No patch is here, or none more.',
});
