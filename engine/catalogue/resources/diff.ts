import { present } from '../../contract/present.js';
import { browseDiff } from '../../operations/browse/worlds.js';
import type { DiffedChange } from '../../operations/worlds/diff-worlds.js';
import type { TurnPlace } from '../../operations/worlds/worlds.js';
import type { EffectOrigin } from '../../ports/worlds.js';
import { pathOfPatch } from '../places.js';
import { quote } from '../phrase.js';
import { resource } from '../resource.js';
import { sayOrigins } from '../say-origins.js';
import {
  type Block,
  type Blocks,
  change,
  commands,
  faint,
  type Link,
  linkTo,
  linkToTurn,
  list,
  moment,
  note,
  type Phrase,
  section,
  strong,
  trailToWorld,
} from '../view.js';
import { count } from '../words.js';

export const diff = resource({
  name: 'diff_turns',
  path: '/worlds/:world_slug/diff',
  reader: 'consumer',
  says: 'What changed from one turn of a world to another, or differs in another world, with each cause.',
  gives: 'Diff',
  takes: ['from', 'to', 'other', 'entity'],
  read: (archive, { parameters: { world_slug }, query }) => browseDiff(archive, present({ world_slug, ...query })),
  view({ from, to, changes }) {
    const { world_slug } = to;
    const isOne = from.world_slug === world_slug;
    const none = isOne ? 'nothing changed' : 'nothing differs';
    const summary = changes.length === 0 ? none : count(changes.length, isOne ? 'change' : 'difference');
    const shown = changes.slice(0, CHANGES_SHOWN);
    const owners = [...new Set(shown.map(ownerOf))];
    const left_out = changes.length - shown.length;
    const cards = owners.map((owner) => drawOwner(owner, shown, isOne));
    return {
      eyebrow: isOne ? 'What changed' : 'How two worlds differ',
      title: isOne
        ? `${world_slug}: turn ${from.turn} to turn ${to.turn}`
        : `${from.world_slug} at turn ${from.turn}, ${world_slug} at turn ${to.turn}`,
      trail: trailToWorld(world_slug),
      lede: ['From ', ...sayPlace(from), ' to ', ...sayPlace(to), `: ${summary}`],
      sections: [
        section(
          'changes',
          'Differences',
          cards.length > 0 && note('Of two values, the first is from the first turn.'),
          list(cards),
          left_out > 0 && note(`${left_out} more; the JSON has them all.`),
        ),
        section('causes', 'Why', drawCauses(shown)),
      ],
    };
  },
});

/** How many changes are shown; the JSON has them all. */
const CHANGES_SHOWN = 100;

function sayPlace({ world_slug, turn, simulation_time }: TurnPlace): readonly Phrase[] {
  return [linkToTurn(world_slug, turn, `${world_slug} at turn ${turn}`), ' (', moment(simulation_time), ')'];
}

function ownerOf(one: DiffedChange): string {
  return one.kind === 'environment_content' ? one.environment_label : one.entity_id;
}

const WORDS = { environment_content: 'content', entity_state: 'state', entity_memory: 'memory' } as const;

function drawOwner(owner: string, all: readonly DiffedChange[], isOne: boolean): Blocks {
  const own = all.filter((one) => ownerOf(one) === owner);
  return [
    note(strong(owner)),
    ...own.flatMap(({ kind, before, after, blame = [] }) => [
      change(before, after, WORDS[kind]),
      ...blame.map((effect) => drawBlame(effect, isOne, blame.length > 1)),
    ]),
  ];
}

/** One effect, by the number of its patch. Of several, each says what it found and left. */
function drawBlame(effect: EffectOrigin, isOne: boolean, is_step: boolean): Block {
  const { state_before: before, state_after: after, entity_id, environment_label, llm_call_id, turn, origins } = effect;
  const label = `Why? The prompt that changed ${entity_id ?? environment_label} in turn ${turn}`;
  return note(
    'by ',
    linkToPatch(effect, isOne),
    faint(
      `, effect ${effect.effect_index + 1} (${effect.op})${origins === null ? '' : `, from ${sayOrigins(origins)}`}`,
    ),
    is_step && before !== null ? faint(`: ${quote(before, 60)} -> ${quote(after, 60)}`) : null,
    ' ',
    llm_call_id === null ? null : { ...linkTo('llm_call', llm_call_id, 'Why?'), label },
  );
}

/** Of two worlds, a patch says where it was applied. */
function linkToPatch({ world_slug, turn, patch_seq }: EffectOrigin, isOne: boolean): Link {
  const { command } = linkToTurn(world_slug, turn);
  const text = `turn ${turn}${isOne ? '' : `, in ${world_slug}`}, patch ${patch_seq}`;
  return { path: pathOfPatch(world_slug, turn, patch_seq), command, text };
}

/** The patches behind the changes, each once, and how to read what led to it. */
function drawCauses(changes: readonly DiffedChange[]): Blocks {
  const effects = changes.flatMap(({ blame = [] }) => blame);
  const causes = new Map(effects.map((effect) => [linkToPatch(effect, false).text, effect]));
  return [...causes.values()].map(({ turn, patch_seq, world_slug, narration, llm_call_id: id, ...effect }) =>
    commands(
      `turn ${turn}, patch ${patch_seq} of ${effect.workflow_subject_entity_id} in ${world_slug}: ${quote(narration, 100)}`,
      ...(id === null ? [] : [[['llm-call', id], 'what the model saw and said'] as const]),
      [['invocation', effect.source_invocation_id], 'the call that asked for it'],
      [['attempt', effect.attempt_id], 'all of its attempt'],
    ),
  );
}
