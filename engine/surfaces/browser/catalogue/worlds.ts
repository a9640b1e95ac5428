import type { Entity } from '../../../core/world/world.js';
import type { AttemptSummary } from '../../../ports/records.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import {
  browseTurn,
  browseWorld,
  listAttemptsPart,
  type PatchStory,
  type TurnPage,
  type TurnStory,
  type WorldPage,
} from '../../../operations/browse/worlds.js';
import { listAgentsPart } from '../../../operations/agents.js';
import { type Html, html, NOTHING } from '../html.js';
import { listPage } from '../list-page.js';
import { type Asked, type Column, emptyState, itemPage, type Page, sectionUnless, type View } from '../page.js';
import { effectLine } from '../parts/changes.js';
import { operatorActions } from '../parts/operator-actions.js';
import { drawPatch, whyLink } from '../parts/patch.js';
import { table } from '../parts/table.js';
import { linkTo, moment, status, words, worldTime } from '../parts/text.js';
import { forkTree } from '../pictures/fork-tree.js';
import { lifeLines } from '../pictures/life-lines.js';
import { readingPlots, seriesOf } from '../pictures/reading-plot.js';
import { eventsOf, pathOf, pathOfTurn } from '../places.js';
import { decideTurn, decideWorld } from './decisions.js';
import { took, worldCrumb } from './overview.js';

/** A world: its story, where everybody is, what changed, who tried what. */
export const world: Page = itemPage({
  url: '/worlds/:world_slug',
  access: 'consumer',
  summary: 'A world: its story, where everybody is, readings, attempts, forks and scenarios.',
  answer: 'World',
  query: ['until'],
  read: (archive, { parameters: { world_slug = '' }, query: { until } }) =>
    browseWorld(archive, { world_slug, ...(until === undefined ? {} : { until }) }),
  // Of earlier turns nothing changes any more.
  view: (shown, { query }) => ({
    ...viewWorld(shown),
    ...(query['until'] === undefined ? { events: eventsOf('world', shown.world_slug) } : {}),
  }),
});

function viewWorld(shown: WorldPage): View {
  const { world_slug, turn, story, earlier, readings, attempts, family, scenarios } = shown;
  const more =
    earlier === null
      ? NOTHING
      : html`<p class="more"><a href="?until=${earlier}#story">Earlier turns, from turn ${earlier} back</a></p>`;
  return {
    title: world_slug,
    eyebrow: 'World',
    trail: [{ path: '/worlds', text: 'Worlds' }],
    lede: html`Turn ${turn}, at ${worldTime(shown.simulation_time)} of its own time, by the scenario ${linkTo('scenario', shown.scenario_hash, shown.scenario_label)}${forkedFrom(shown)}.`,
    sections: [
      {
        id: 'story',
        title: 'The story so far',
        body:
          story.length === 0
            ? emptyState('No turn has been played yet.')
            : html`${story.map((one) => tellTurn(world_slug, one))}${more}`,
      },
      { id: 'places', title: 'Where everybody is', body: places(shown) },
      ...sectionUnless(story.length === 0, () => ({
        id: 'lives',
        title: 'Who was where, turn by turn',
        body: lifeLines(shown, story),
      })),
      ...sectionUnless(seriesOf(readings).length === 0, () => ({
        id: 'readings',
        title: 'Numbers in readings',
        body: readingPlots(readings),
      })),
      {
        id: 'attempts',
        title: 'Attempts',
        body: html`${table('Attempts', attemptColumns, attempts, NO_ATTEMPTS)}<p class="more"><a href="${pathOf('world', world_slug)}/attempts">All attempts</a> · <a href="${pathOf('world', world_slug)}/agents">its agents</a></p>`,
      },
      ...sectionUnless(family.length < 2, () => ({
        id: 'forks',
        title: 'Forks',
        tells_of_others: true as const,
        body: forkTree(family, world_slug),
      })),
      {
        id: 'scenarios',
        title: 'Scenarios',
        body: html`<ul class="plain">${scenarios.map(({ from_turn, scenario_hash, scenario_label }) => html`<li>from turn ${from_turn}: ${linkTo('scenario', scenario_hash, scenario_label)}</li>`)}</ul>`,
      },
      ...operatorActions(shown.operator_actions),
    ],
    decisions: decideWorld(shown),
  };
}

function forkedFrom({ forked_from }: WorldSnapshot): Html {
  if (forked_from === undefined) return NOTHING;
  const { world_slug, turn } = forked_from;
  return html`; a fork of <a href="${pathOfTurn(world_slug, turn)}">${world_slug} at turn ${turn}</a>`;
}

/** A turn as prose, with what it changed and why. */
function tellTurn(world_slug: string, { turn, simulation_time, attempt_id, patches }: TurnStory): Html {
  return html`<article class="turn"><header><h3><a href="${pathOfTurn(world_slug, turn)}">Turn ${turn}</a></h3>
<p class="dim">${worldTime(simulation_time)} · ${linkTo('attempt', attempt_id, 'the attempt')} · <a href="${pathOf('world', world_slug)}/diff?from=${turn - 1}&amp;to=${turn}">what changed</a></p></header>
${patches.map(tellPatch)}</article>`;
}

/** A narration, and what it made true. */
function tellPatch(patch: PatchStory): Html {
  const { turn, workflow_subject_entity_id: subject, narration, effects } = patch;
  const why = whyLink(patch, `Why did ${subject} do that in turn ${turn}?`);
  const changed = `changed ${effects.length} ${effects.length === 1 ? 'value' : 'values'}`;
  return html`<section class="patch" aria-label="What ${subject} did in turn ${turn}"><p class="narration">${narration}</p>
<div class="told">${why}<details><summary><span class="who">${subject}</span> ${changed}</summary><ul class="effects">${effects.map(effectLine)}</ul></details></div></section>`;
}

/** How many memories of one entity a page shows: the latest. */
const MEMORIES_SHOWN = 20;

/** Everybody by place. */
function places({ environments, entities }: WorldSnapshot): Html {
  const nowhere = entities.filter(({ environment }) => environment === undefined);
  return html`<div class="places">${environments.map(
    ({ label, content }) =>
      html`<section class="place" aria-label="${label}"><h3>${label}</h3><p class="place-text">${content}</p><ul class="entities">${entities.filter(({ environment }) => environment === label).map(drawEntity)}</ul></section>`,
  )}${nowhere.length === 0 ? undefined : html`<section class="place" aria-label="Nowhere"><h3>Nowhere</h3><ul class="entities">${nowhere.map(drawEntity)}</ul></section>`}</div>`;
}

function drawEntity({ id, name, kind, state, goal, memory }: Entity): Html {
  const memories =
    memory.length === 0
      ? NOTHING
      : html`<details><summary>${memory.length} ${memory.length === 1 ? 'memory' : 'memories'}</summary><ol class="memories" start="${Math.max(1, memory.length - MEMORIES_SHOWN + 1)}">${memory.slice(-MEMORIES_SHOWN).map(({ content, turn }) => html`<li>${content} <span class="dim">turn ${turn}</span></li>`)}</ol></details>`;
  return html`<li class="entity entity-${kind}"><p><strong>${name}</strong> <code class="dim">${id}</code></p><p>${state}</p>${goal === undefined ? undefined : html`<p class="goal">wants: ${goal}</p>`}${memories}</li>`;
}

export const attemptColumns: readonly Column<AttemptSummary>[] = [
  { title: 'Turn', is_number: true, cell: ({ attempted_turn }) => attempted_turn },
  { title: 'Attempt', cell: ({ attempt_id }) => linkTo('attempt', attempt_id) },
  { title: 'State', cell: (row) => status(row.status) },
  { title: 'Calls', is_number: true, cell: ({ source_invocation_count }) => source_invocation_count },
  { title: 'Took', is_number: true, cell: took },
  { title: 'Began', cell: ({ started_at }) => moment(started_at) },
  {
    title: 'Why it failed',
    cell: ({ failure_class, failed_source_invocation_id }) =>
      failure_class === null
        ? ''
        : html`${words(failure_class)} ${linkTo('source_invocation', failed_source_invocation_id, 'the call')}`,
  },
];

/** The trail to a page of a world. */
const trailTo = ({ parameters: { world_slug = '' } }: Asked): View['trail'] => [
  { path: '/worlds', text: 'Worlds' },
  worldCrumb(world_slug),
];

const NO_ATTEMPTS = emptyState('Nothing has been tried yet.');

/** All attempts of a world. */
export const worldAttempts: Page = listPage({
  url: '/worlds/:world_slug/attempts',
  access: 'consumer',
  summary: 'The attempts of a world, the latest first.',
  answer: 'Attempts',
  cursor: 'id',
  keyOf: ({ attempt_id }) => attempt_id,
  read: (archive, { parameters: { world_slug = '' } }, part) => listAttemptsPart(archive, world_slug, part),
  about: (asked) => ({
    title: `Attempts of ${asked.parameters['world_slug']}`,
    eyebrow: 'List',
    trail: trailTo(asked),
  }),
  order: 'The latest first',
  columns: attemptColumns,
  empty: NO_ATTEMPTS,
});

/** The agents of a world. */
export const worldAgents: Page = listPage({
  url: '/worlds/:world_slug/agents',
  access: 'consumer',
  summary: 'The agents of a world by name, and what each of them does just now.',
  answer: 'Agents',
  cursor: 'name',
  keyOf: ({ agent_id }) => agent_id,
  read: (archive, { parameters: { world_slug = '' } }, part) => listAgentsPart(archive, world_slug, part),
  about: (asked) => ({ title: `Agents of ${asked.parameters['world_slug']}`, eyebrow: 'List', trail: trailTo(asked) }),
  order: 'What each of them does just now',
  columns: [
    {
      title: 'Agent',
      cell: ({ agent_id, active_agent_turn_id, latest_turn }) => {
        const agent_turn_id = active_agent_turn_id ?? latest_turn?.agent_turn_id;
        return agent_turn_id === undefined ? agent_id : linkTo('agent_turn', agent_turn_id, agent_id);
      },
    },
    { title: 'State', cell: (row) => status(row.status) },
    { title: 'Activity', cell: ({ activity }) => (activity === null ? '' : words(activity)) },
    { title: 'Turns so far', is_number: true, cell: ({ turn_epoch }) => turn_epoch },
    { title: 'Its latest turn', cell: ({ latest_turn }) => status(latest_turn?.outcome) },
    { title: 'Tool', cell: ({ current_tool }) => current_tool ?? '' },
    { title: 'Waits until', cell: ({ resume_deadline }) => moment(resume_deadline) },
  ],
  empty: emptyState('This world has no agents.'),
});

/** A world at a turn. */
export const turn: Page = itemPage({
  url: '/worlds/:world_slug/turns/:turn',
  access: 'consumer',
  summary: 'A world as it stood at the end of a turn, and what made it so.',
  answer: 'Turn',
  read: (archive, { parameters: { world_slug = '', turn = '' } }) => browseTurn(archive, { world_slug, turn }),
  view: viewTurn,
});

function viewTurn(shown: TurnPage): View {
  const { world_slug, turn: number, last_turn, story, attempts } = shown;
  const step = (to: number, text: string): Html =>
    to < 0 || to > last_turn ? NOTHING : html`<a href="${pathOfTurn(world_slug, to)}">${text}</a> `;
  return {
    title: `Turn ${number} of ${world_slug}`,
    eyebrow: 'World at a turn',
    trail: [{ path: '/worlds', text: 'Worlds' }, worldCrumb(world_slug)],
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
            : html`${story.patches.map(showPatch)}`,
      },
      { id: 'places', title: 'Where everybody was at its end', body: places(shown) },
      ...sectionUnless(attempts.length === 0, () => ({
        id: 'attempts',
        title: 'Attempts at this turn',
        body: table('Attempts', attemptColumns, attempts),
      })),
    ],
    decisions: [decideTurn({ world_slug, turn: number })],
  };
}

/** The effects of a patch name the call that it came from. */
function showPatch(patch: PatchStory): Html {
  return drawPatch({ ...patch, source_invocation_id: patch.effects[0]?.source_invocation_id });
}
