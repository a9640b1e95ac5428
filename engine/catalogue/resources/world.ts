import { present } from '../../contract/present.js';
import { isUndriven, stateOf } from '../../core/protocol/work-state.js';
import { browseWorld, type WorldPage } from '../../operations/browse/worlds.js';
import type { AttemptSummary } from '../../ports/records.js';
import { drawStory, namesIn } from '../patches.js';
import { placeList } from '../place-list.js';
import { eventsOf, pathOf } from '../places.js';
import { type Asked, resource } from '../resource.js';
import { actionColumns, attemptColumns } from '../tables.js';
import {
  aboutOthers,
  type Blocks,
  code,
  facts,
  type Link,
  linkTo,
  linkToTurn,
  list,
  note,
  type Phrase,
  picture,
  question,
  section,
  state,
  table,
  trailToWorld,
  type ViewSection,
  worldTime,
} from '../view.js';
import { costFacts, count, words } from '../words.js';

export const world = resource({
  name: 'get_world',
  path: '/worlds/:world_slug',
  reader: 'consumer',
  says: 'A world: its story, where everybody is, readings, attempts, forks and scenarios.',
  gives: 'World',
  takes: ['until'],
  read: (archive, { parameters: { world_slug }, query: { until } }) =>
    browseWorld(archive, present({ world_slug, until })),
  view(shown, { query, reader }) {
    const { world_slug, turn, last_turn, forked_from: from } = shown;
    const isNow = turn === last_turn;
    const chosen = shown.scenarios.findLast(({ from_turn }) => from_turn <= Math.max(1, turn)) ?? shown;
    const { scenario_hash, scenario_label } = isNow ? shown : chosen;
    return {
      title: isNow ? world_slug : `${world_slug} until turn ${turn}`,
      eyebrow: isNow ? 'World' : 'World at an earlier turn',
      trail: trailToWorld(world_slug).slice(0, isNow ? 1 : 2),
      lede: [
        `Turn ${turn}${isNow ? '' : ` of ${last_turn}`}, at `,
        worldTime(shown.simulation_time),
        ' of its own time, by the scenario ',
        linkTo('scenario', scenario_hash, scenario_label),
        from === undefined
          ? null
          : ['; a fork of ', linkToTurn(from.world_slug, from.turn, `${from.world_slug} at turn ${from.turn}`)],
        '. ',
        isNow ? null : listSteps(shown),
      ],
      ...present({
        status: isNow ? sayStatus(shown) : undefined,
        // An earlier turn never changes.
        events: query.until === undefined ? eventsOf('world', world_slug) : undefined,
      }),
      sections: [
        ...tellSections(shown, reader),
        section(
          'attempts',
          isNow ? 'Attempts' : 'The latest attempts',
          table(shown.attempts, attemptColumns, 'Nothing has been tried yet.'),
          note(linkBelow(world_slug, 'attempts', 'All attempts'), ' · ', linkBelow(world_slug, 'agents', 'its agents')),
        ),
        aboutOthers(
          'forks',
          'Forks',
          shown.family.length > 1 && picture({ of: 'forks', shown: shown.family, here: world_slug }),
        ),
        section(
          'scenarios',
          'Scenarios',
          list(
            shown.scenarios.map(({ from_turn, scenario_hash: hash, scenario_label: label }) =>
              note(`from turn ${from_turn}: `, linkTo('scenario', hash, label)),
            ),
          ),
        ),
        aboutOthers('questions', 'Look at another turn, or at a difference', last_turn > 0 && askAbout(shown)),
        aboutOthers('actions', 'What operators did', table(shown.operator_actions, actionColumns)),
      ],
    };
  },
});

/** How many patches the story has in all; where there are more, it has the first few of each turn. */
const PATCHES_SHOWN = 50;
const PATCHES_SHOWN_OF_TURN = 2;

/** A link to what a world has of a kind. */
function linkBelow(world_slug: string, what: 'attempts' | 'agents' | 'cost', text: string): Link {
  return { path: `${pathOf('world', world_slug)}/${what}`, command: [what, world_slug], text };
}

/** What happened, and how that left it. */
function tellSections(shown: WorldPage, reader: Asked['reader']): readonly ViewSection[] {
  const { world_slug, turn, story, cost } = shown;
  const isNow = turn === shown.last_turn;
  const patches = story.reduce((sum, { patches: own }) => sum + own.length, 0);
  const patches_max = patches > PATCHES_SHOWN ? PATCHES_SHOWN_OF_TURN : PATCHES_SHOWN;
  const steps = listSteps(shown);
  const by = linkBelow(world_slug, 'cost', 'By turn, subject, node and model, and what filled its prompts');
  return [
    section(
      'story',
      isNow ? 'The story so far' : `The story until turn ${turn}`,
      story.length === 0
        ? note('No turn has been played yet. ', sayHowToPlay(shown, reader))
        : drawStory(world_slug, story, patches_max, namesIn(shown)),
      steps.length > 0 && note(steps),
    ),
    section(
      'places',
      isNow ? 'Where everybody is' : `Where everybody was after turn ${turn}`,
      picture({ of: 'places', shown }, placeList(shown)),
    ),
    section(
      'cost',
      isNow ? 'What it has cost' : `What turn ${turn} has cost`,
      facts(costFacts(cost)),
      cost.calls > 0 && reader === 'operator' && note(by),
    ),
    section('lives', 'Who was where, turn by turn', story.length > 0 && picture({ of: 'lives', shown, story })),
    section('readings', 'Numbers in readings', picture({ of: 'readings', shown: shown.readings })),
  ];
}

/** A jump to a turn, and the differences between two turns or from another world. */
function askAbout({ world_slug, last_turn }: WorldPage): Blocks {
  const path = pathOf('world', world_slug);
  const turn = { is_whole: true };
  return [
    question(path, 'A turn', 'Go there', [{ ...turn, name: 'until', label: 'The story until turn', value: last_turn }]),
    question(`${path}/diff`, 'A difference', 'Compare', [
      { ...turn, name: 'from', label: 'What changed from turn' },
      { ...turn, name: 'to', label: 'to turn', value: last_turn },
      { name: 'other', label: 'or to the world' },
      { name: 'entity', label: 'of the entity alone' },
    ]),
  ];
}

/** The ways to the turns before and after those that are shown, and to the present. */
function listSteps({ world_slug, earlier, later, last_turn }: WorldPage): readonly Phrase[] {
  const until = (turn: number, text: string): Link => ({ path: `?until=${turn}#story`, command: [], text });
  const steps = [
    earlier === null ? null : until(earlier, `← Earlier turns, from turn ${earlier} back`),
    later === null || later === last_turn ? null : until(later, `later turns, to turn ${later} →`),
    later === null ? null : linkTo('world', world_slug, `now, at turn ${last_turn} →`),
  ].filter((step) => step !== null);
  return steps.flatMap((step, at) => (at === 0 ? [step] : [' · ', step]));
}

/** What keeps a world from its first turn, or its open attempt; else a command that plays one. */
function sayHowToPlay({ world_slug, attempts: [latest] }: WorldPage, reader: Asked['reader']): Phrase {
  const isOpen = latest?.ended_at === null && !isUndriven(latest);
  if (latest !== undefined && (isOpen || latest.calls_in_doubt > 0)) {
    const [said, link] = statusOf(latest);
    return [said, ' ', link];
  }
  if (reader !== 'operator') return null;
  const queue: Link = { path: '#run-turns', command: [], text: 'Queue some' };
  return [queue, ', or play one: ', code(`npx chukwa run ${world_slug}`)];
}

/** What keeps a world from its next turn, or its open attempt: the latest one, unless that is committed. */
function sayStatus({ turn, attempts: [latest] }: WorldPage): Phrase | undefined {
  if (latest === undefined || latest.attempted_turn <= turn) return undefined;
  const [said, link] = statusOf(latest);
  return [state(said, stateOf(latest)), ' ', link];
}

/** A sentence on a world, and the link to its subject. */
function statusOf(attempt: AttemptSummary): readonly [said: string, Link] {
  const { status, attempt_id, failure_class, calls_in_doubt, attempted_turn } = attempt;
  const turn = `Turn ${attempted_turn}`;
  const at = (text: string): Link => ({ path: pathOf('attempt', attempt_id), command: ['attempt', attempt_id], text });
  const atWaits = (text: string): Link => ({ ...at(text), path: `${pathOf('attempt', attempt_id)}#waits` });
  if (isUndriven(attempt))
    return [`The driver of turn ${attempted_turn} is gone. The next run resumes it.`, at('See its progress')];
  if (status === 'running') return [`${turn} runs now.`, at('See what it does')];
  if (status === 'suspended') return [`${turn} waits for an answer.`, atWaits('See for which')];
  if (calls_in_doubt === 0) return [`${turn} failed: ${words(failure_class ?? status)}.`, at('See why')];
  return [
    `${turn} failed, and ${count(calls_in_doubt, 'call is', 'calls are')} in doubt.`,
    atWaits('Settle the calls'),
  ];
}
