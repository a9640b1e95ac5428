import type { DiffedChange, WorldDiff } from '../../../operations/diff-worlds.js';
import type { TurnPlace } from '../../../operations/worlds.js';
import type { EffectOrigin } from '../../../ports/worlds.js';
import { quote } from './json-view.js';
import { command, commandLines, EMPTY, faint, hanging, line, type Lines, strong } from './line.js';
import { count, toMoment } from './words.js';

/** The changes between two turns, place by place, each with its effects beneath it. */
export function diffLines({ from, to, changes }: WorldDiff): Lines {
  const is_one = from.world_slug === to.world_slug;
  // Of two worlds, each effect says where it happened.
  const world_slug = is_one ? from.world_slug : undefined;
  const nothing = is_one ? 'nothing changed' : 'nothing differs';
  const summary = changes.length === 0 ? nothing : count(changes.length, is_one ? 'change' : 'difference');
  return [
    is_one
      ? line(strong(`world ${from.world_slug}`), `  from ${toPlace(from)} to ${toPlace(to)}: ${summary}`)
      : line(`from ${toWorldPlace(from)} to ${toWorldPlace(to)}: ${summary}`),
    changes.flatMap((change, index) => {
      const name = nameOf(change);
      const before = changes[index - 1];
      const isFirst = before === undefined || nameOf(before) !== name;
      return [isFirst && [EMPTY, line('  ', strong(name))], changeLines(change, world_slug)];
    }),
    causeLines(changes, world_slug),
  ];
}

function toPlace({ turn, simulation_time }: TurnPlace): string {
  return `turn ${turn} (${toMoment(simulation_time)})`;
}

function toWorldPlace(place: TurnPlace): string {
  return `world ${place.world_slug} at ${toPlace(place)}`;
}

function nameOf(change: DiffedChange): string {
  return change.kind === 'environment_content' ? change.environment_label : change.entity_id;
}

const WORDS = { environment_content: 'content', entity_state: 'state', entity_memory: 'memory' } as const;
const WIDTH = 9;

function changeLines(change: DiffedChange, world_slug: string | undefined): Lines {
  const { kind, before, after, blame } = change;
  const sides = [...(before === null ? [] : [`- ${quote(before)}`]), ...(after === null ? [] : [`+ ${quote(after)}`])];
  return [
    sides.map((side, index) =>
      hanging(WIDTH + 6, faint(`    ${(index === 0 ? WORDS[kind] : '').padEnd(WIDTH)}`), side),
    ),
    (blame ?? []).flatMap((effect) => blameLines(effect, { world_slug, is_step: (blame ?? []).length > 1 })),
  ];
}

const INDENT = ' '.repeat(WIDTH + 4);

/** One effect, by the number of its patch. Of several, each says what it found and left. */
function blameLines(
  effect: EffectOrigin,
  { world_slug, is_step }: { readonly world_slug: string | undefined; readonly is_step: boolean },
): Lines {
  const { state_before, state_after } = effect;
  return [
    hanging(
      WIDTH + 6,
      faint(`${INDENT}by ${toPatch(effect, world_slug)}, effect ${effect.effect_index + 1} (${effect.op})`),
    ),
    state_before !== null &&
      is_step &&
      hanging(WIDTH + 8, faint(`${INDENT}   ${quote(state_before, 60)} -> ${quote(state_after, 60)}`)),
  ];
}

function toPatch({ turn, patch_seq, world_slug: where }: EffectOrigin, world_slug: string | undefined): string {
  return [`turn ${turn}`, ...(where === world_slug ? [] : [`in ${where}`]), `patch ${patch_seq}`].join(', ');
}

/** The patches behind the changes, each once, and how to read what led to it. */
function causeLines(changes: readonly DiffedChange[], world_slug: string | undefined): Lines {
  const effects = changes.flatMap(({ blame = [] }) => blame);
  const causes = new Map(effects.map((effect) => [toPatch(effect, world_slug), effect]));
  return [...causes].flatMap(([patch, { workflow_subject_entity_id, workflow_node_id, narration, ...ids }]) => [
    EMPTY,
    line(strong(patch), `  ${workflow_subject_entity_id}, ${workflow_node_id}`),
    hanging(2, faint(`  ${quote(narration, 100)}`)),
    lookLines(ids),
  ]);
}

type Ids = Pick<EffectOrigin, 'llm_call_id' | 'source_invocation_id' | 'attempt_id'>;

function lookLines({ llm_call_id, source_invocation_id, attempt_id }: Ids): Lines {
  return commandLines('  ', [
    ...(llm_call_id === null ? [] : [[command('llm-call', llm_call_id), 'what the model saw and said'] as const]),
    [command('invocation', source_invocation_id), 'the call that asked for it'],
    [command('attempt', attempt_id), 'all of its attempt'],
  ]);
}
