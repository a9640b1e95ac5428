import { present } from '../../contract/present.js';
import { PATCH_OPERATIONS, WORLD_VALUES } from '../../core/world/patch-operations.js';
import { toTurn } from '../../operations/browse/list-part.js';
import { type EntityLife, showEntityLife } from '../../operations/worlds/entities.js';
import type { EffectOrigin } from '../../ports/worlds.js';
import { saySources } from '../patches.js';
import { resource } from '../resource.js';
import { sayOrigins } from '../say-origins.js';
import {
  type Blocks,
  change,
  code,
  facts,
  faint,
  type Link,
  links,
  linkTo,
  linkToTurn,
  list,
  more,
  note,
  prose,
  section,
  strong,
  worldTime,
} from '../view.js';

export const entity = resource({
  name: 'get_entity',
  path: '/worlds/:world_slug/entities/:entity_id',
  command: 'entity',
  says: 'Show an entity of a world: its state, its memories, and each change of it with the patch and the prompt behind it.',
  reader: 'consumer',
  gives: 'EntityLife',
  takes: ['turn', 'limit', 'after'],
  async read(archive, { parameters: { world_slug, entity_id }, query: { turn, ...part } }) {
    const at = toTurn(turn);
    if (!at.ok) return at;
    return showEntityLife(archive, { world_slug, entity_id, ...present({ turn: at.value }) }, part);
  },
  view(shown) {
    const { id, name, kind, world_slug, turn, last_turn, simulation_time, environment, state, goal } = shown;
    const isPast = turn < last_turn;
    const linkToCalls = (list: 'source-invocations' | 'llm-calls'): Link => ({
      path: `/${list}?world=${world_slug}&subject=${encodeURIComponent(id)}`,
      command: [list.replace('source-', ''), '--world', world_slug, '--subject', id],
      text: list === 'llm-calls' ? 'its prompts' : 'its calls',
    });
    return {
      eyebrow: kind === 'agent' ? 'Agent' : 'Prop',
      title: `${name} in ${world_slug}`,
      trail: [linkTo('world', world_slug)],
      lede: [
        isPast ? 'As it was at the end of turn ' : 'At the end of turn ',
        linkToTurn(world_slug, turn),
        ', ',
        worldTime(simulation_time),
        isPast ? [', of ', String(last_turn), ' turns.'] : '.',
      ],
      sections: [
        section(
          'now',
          'What it is',
          facts({
            id: code(id),
            place: environment ?? null,
            goal: goal ?? null,
            'state from': sayOrigins(shown.origins),
          }),
          prose(state),
          kind === 'agent' && links(linkToCalls('source-invocations'), linkToCalls('llm-calls')),
        ),
        section('memories', 'What it remembers', drawMemories(shown)),
        section('history', 'What changed it', drawHistory(shown)),
      ],
    };
  },
});

/** A longer text is no part of a path. */
const ASKED_LENGTH_MAX = 200;

function drawMemories({ memory, world_slug, id }: EntityLife): Blocks {
  if (memory.length === 0) return [note('Nothing.')];
  return [
    list(
      memory
        .toReversed()
        .map(({ memory_id, content, turn, origins, sources }) => [
          prose(content),
          note(
            faint(turn === 0 ? 'from the scenario' : `turn ${turn}, from ${sayOrigins(origins)}`),
            memory_id === undefined ? null : faint(` (memory ${memory_id})`),
            sources === undefined ? null : faint(`, summing up ${saySources(sources)}`),
            content.length > ASKED_LENGTH_MAX ? null : [', ', linkToKnowledge(world_slug, id, content)],
          ),
        ]),
    ),
  ];
}

function linkToKnowledge(world_slug: string, id: string, text: string): Link {
  const [slug, agent, asked] = [world_slug, id, text].map(encodeURIComponent);
  return {
    path: `/worlds/${slug}/knows/${agent}/${asked}`,
    command: ['knows', world_slug, id, text],
    text: 'how it came to know this',
  };
}

function drawHistory({ history: { rows, next } }: EntityLife): Blocks {
  if (rows.length === 0) return [note('Nothing has changed it.')];
  const patchOf = ({ world_slug, turn, patch_seq }: EffectOrigin): string => `${world_slug} ${turn} ${patch_seq}`;
  const patches = [...new Set(rows.map(patchOf))].map((patch) => rows.filter((row) => patchOf(row) === patch));
  return [list(patches.map((effects) => drawPatch(effects.toReversed()))), more(next)];
}

/** One patch, with all that it changed of the entity. */
function drawPatch(effects: readonly EffectOrigin[]): Blocks {
  const [first] = effects;
  if (first === undefined) return [];
  const { world_slug, turn, narration, workflow_subject_entity_id: subject, llm_call_id } = first;
  return [
    note(linkToTurn(world_slug, turn, `Turn ${turn}`), ', by ', strong(subject)),
    ...effects.map(({ op, state_before, state_after }) =>
      change(WORLD_VALUES[PATCH_OPERATIONS[op].changes].is_appended ? null : state_before, state_after),
    ),
    prose(narration),
    links(
      llm_call_id === null ? null : linkTo('llm_call', llm_call_id, 'the prompt'),
      linkTo('source_invocation', first.source_invocation_id, 'the call'),
      linkTo('attempt', first.attempt_id, 'the attempt'),
    ),
  ];
}
