import type { LearntText } from '../../core/world/trace-text.js';
import { traceText } from '../../operations/worlds/trace-text.js';
import { pathOfPatch } from '../places.js';
import { saySources } from '../patches.js';
import { resource } from '../resource.js';
import {
  type Blocks,
  links,
  linkTo,
  linkToEntity,
  linkToTurn,
  list,
  note,
  type Phrase,
  prose,
  section,
  strong,
  trailToWorld,
} from '../view.js';
import { words } from '../words.js';

export const knowledge = resource({
  path: '/worlds/:world_slug/knows/:entity_id/:text',
  command: 'knows',
  says: 'Say when, how and through whom an agent came to know a text, from the record.',
  gives: 'TracedText',
  read: (archive, { parameters: { world_slug, entity_id, text } }) =>
    traceText(archive, { world_slug, entity_id, text }),
  view({ world_slug, agent_id, text, path }) {
    const [first] = path;
    return {
      eyebrow: 'Knowledge',
      title: `How ${agent_id} came to know a text`,
      trail: trailToWorld(world_slug),
      lede:
        first === undefined
          ? [`No prompt of ${agent_id} had this text in a committed turn.`]
          : [
              linkToEntity(world_slug, agent_id),
              ' was first shown it in turn ',
              linkToTurn(world_slug, first.turn),
              '.',
            ],
      sections: [
        section('text', 'The text', prose(text)),
        section(
          'path',
          'The path that it came',
          path.length > 0 && list(path.map((learnt) => drawLearnt(world_slug, learnt))),
        ),
      ],
    };
  },
});

function drawLearnt(world_slug: string, { turn, agent_id, shown, came_by }: LearntText): Blocks {
  const place = shown === null ? ' said it' : [' was shown it (', words(shown.origin.replace('.', ' ')), ')'];
  return [
    note(linkToTurn(world_slug, turn, `Turn ${turn}`), ': ', strong(agent_id), place, ', ', sayCarrier(came_by), '.'),
    links(
      shown === null ? null : linkTo('llm_call', shown.llm_call_id, 'the prompt'),
      came_by.kind === 'answer' ? linkTo('source_invocation', came_by.answer.source_invocation_id, 'the answer') : null,
      came_by.kind === 'patch'
        ? {
            ...linkToTurn(world_slug, came_by.patch.turn, 'the patch'),
            path: pathOfPatch(world_slug, came_by.patch.turn, came_by.patch.patch_seq),
          }
        : null,
    ),
  ];
}

function sayCarrier(came_by: LearntText['came_by']): Phrase {
  switch (came_by.kind) {
    case 'patch': {
      const { op, target, agent_id, turn, sources } = came_by.patch;
      if (op === 'narration') return `told by ${agent_id} in turn ${turn}`;
      const from = sources === undefined ? '' : `, from ${saySources(sources)}`;
      return `left in ${target} by ${agent_id} in turn ${turn}${from}`;
    }
    case 'answer':
      return `answered by ${came_by.answer.source_label}`;
    case 'author':
      return 'written by the author of its prompt';
    case 'scenario':
      return 'given by the scenario';
    case 'own_words':
      return 'in its own words, which no prompt had before';
  }
}
