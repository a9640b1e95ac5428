import type { DiffedChange, TurnPlace, WorldDiff } from '../../../operations/diff-worlds.js';
import type { EffectOrigin } from '../../../ports/worlds.js';
import { quote } from './json-view.js';
import { accent, commandLines, EMPTY, faint, hanging, type Line, line, strong, verbatim } from './line.js';
import { count, toMoment } from './words.js';

/** What changed between two turns, place by place, and beneath each change what brought it about. */
export function diffLines({ from, to, changes }: WorldDiff): readonly Line[] {
  const is_one = from.world_slug === to.world_slug;
  // Of two worlds, each effect says where it happened.
  const world_slug = is_one ? from.world_slug : undefined;
  const nothing = is_one ? 'nothing changed' : 'nothing differs';
  const summary = changes.length === 0 ? nothing : count(changes.length, is_one ? 'change' : 'difference');
  return [
    is_one
      ? line(strong(`world ${from.world_slug}`), `  from ${toPlace(from)} to ${toPlace(to)}: ${summary}`)
      : line(`from ${toWorldPlace(from)} to ${toWorldPlace(to)}: ${summary}`),
    ...changes.flatMap((change, index) => {
      const name = nameOf(change);
      const before = changes[index - 1];
      const isFirst = before === undefined || nameOf(before) !== name;
      return [...(isFirst ? [EMPTY, line('  ', strong(name))] : []), ...changeLines(change, world_slug)];
    }),
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

function changeLines(change: DiffedChange, world_slug: string | undefined): readonly Line[] {
  const { kind, before, after, blame } = change;
  const sides = [...(before === null ? [] : [`- ${quote(before)}`]), ...(after === null ? [] : [`+ ${quote(after)}`])];
  return [
    ...sides.map((side, index) =>
      hanging(WIDTH + 6, faint(`    ${(index === 0 ? WORDS[kind] : '').padEnd(WIDTH)}`), side),
    ),
    ...(blame ?? []).flatMap((effect) => blameLines(effect, { world_slug, is_step: (blame ?? []).length > 1 })),
  ];
}

const INDENT = ' '.repeat(WIDTH + 4);

/** One effect, and how to read what led to it. Of several, each says what it found and left. */
function blameLines(
  effect: EffectOrigin,
  { world_slug, is_step }: { readonly world_slug: string | undefined; readonly is_step: boolean },
): readonly Line[] {
  const elsewhere = effect.world_slug === world_slug ? [] : [`in ${effect.world_slug}`];
  const place = [`turn ${effect.turn}`, ...elsewhere, `patch ${effect.patch_seq}`, `effect ${effect.effect_index + 1}`];
  return [
    hanging(
      WIDTH + 6,
      faint(`${INDENT}by ${place.join(', ')} (${effect.op}): `),
      `${effect.workflow_subject_entity_id}, ${effect.workflow_node_id}`,
    ),
    ...(effect.state_before === null || !is_step
      ? []
      : [
          hanging(
            WIDTH + 8,
            faint(`${INDENT}   ${quote(effect.state_before, 60)} -> ${quote(effect.state_after, 60)}`),
          ),
        ]),
    hanging(WIDTH + 7, faint(`${INDENT}   ${quote(effect.narration, 100)}`)),
    ...lookLines(effect),
  ];
}

function lookLines({ llm_call_id, source_invocation_id, attempt_id }: EffectOrigin): readonly Line[] {
  return [
    ...(llm_call_id === null
      ? []
      : commandLines(`${INDENT}   `, [[`npx chukwa llm-call ${llm_call_id}`, 'what the model saw and said']])),
    verbatim(`${INDENT}   `, accent(`npx chukwa invocation ${source_invocation_id}`)),
    verbatim(`${INDENT}   `, accent(`npx chukwa attempt ${attempt_id}`)),
  ];
}
