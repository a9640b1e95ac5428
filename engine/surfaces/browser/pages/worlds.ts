import * as declared from '../../../catalogue/resources/worlds.js';
import type { Asked } from '../../../catalogue/resource.js';
import { present } from '../../../contract/present.js';
import type { AttemptSummary } from '../../../ports/records.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import { isUndriven, stateOf } from '../../../core/protocol/work-state.js';
import type { WorldPage } from '../../../operations/browse/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { itemPage, type Page, type View } from '../page.js';
import { decisionsOn } from '../parts/decision.js';
import { drawPlaces } from '../parts/places.js';
import { drawTurn, namesIn } from '../parts/patch.js';
import { linkTo, toClass, words, worldTime } from '../parts/text.js';
import { actionColumns, attemptColumns } from '../../../catalogue/tables.js';
import { costOf, rowsOf } from '../resource-page.js';
import { question } from '../parts/question.js';
import { forkTree } from '../pictures/fork-tree.js';
import { lifeLines } from '../pictures/life-lines.js';
import { readingPlots } from '../pictures/reading-plot.js';
import { eventsOf, pathOf, pathOfTurn } from '../../../catalogue/places.js';
import { trailToWorld } from '../../../catalogue/view.js';

export const world: Page = itemPage(declared.world, {
  // An earlier turn never changes.
  view: (shown, { query, reader }) => ({
    ...viewWorld(shown, reader),
    ...present({ events: query['until'] === undefined ? eventsOf('world', shown.world_slug) : undefined }),
  }),
});

/** How many patches the story has in all; where there are more, it has the first few of each turn. */
const PATCHES_SHOWN = 50;
const PATCHES_SHOWN_OF_TURN = 2;

function viewWorld(shown: WorldPage, reader: Asked['reader']): View {
  const patches = shown.story.reduce((sum, story) => sum + story.patches.length, 0);
  const patches_max = patches > PATCHES_SHOWN ? PATCHES_SHOWN_OF_TURN : PATCHES_SHOWN;
  const { world_slug, turn, last_turn, story, readings, attempts, family, scenarios } = shown;
  const isNow = turn === last_turn;
  const chosen = scenarios.findLast(({ from_turn }) => from_turn <= Math.max(1, turn)) ?? shown;
  const { scenario_hash, scenario_label } = isNow ? shown : chosen;
  return {
    title: isNow ? world_slug : `${world_slug} until turn ${turn}`,
    eyebrow: isNow ? 'World' : 'World at an earlier turn',
    trail: trailToWorld(world_slug).slice(0, isNow ? 1 : 2),
    lede: html`Turn ${turn}${isNow ? undefined : ` of ${last_turn}`}, at ${worldTime(shown.simulation_time)} of its own time, by the scenario ${linkTo('scenario', scenario_hash, scenario_label)}${forkedFrom(shown)}.${isNow ? drawStatus(shown) : html` ${drawSteps(shown)}`}`,
    sections: [
      {
        id: 'story',
        title: isNow ? 'The story so far' : `The story until turn ${turn}`,
        body:
          story.length === 0
            ? drawUnplayed(shown, reader)
            : html`${story.map((one) => drawTurn(world_slug, one, patches_max, namesIn(shown)))}<p class="more">${drawSteps(shown)}</p>`,
      },
      {
        id: 'places',
        title: isNow ? 'Where everybody is' : `Where everybody was after turn ${turn}`,
        body: drawPlaces(shown),
      },
      { id: 'cost', title: isNow ? 'What it has cost' : `What turn ${turn} has cost`, body: drawCost(shown, reader) },
      { id: 'lives', title: 'Who was where, turn by turn', body: story.length > 0 && lifeLines(shown, story) },
      { id: 'readings', title: 'Numbers in readings', body: readingPlots(readings) },
      {
        id: 'attempts',
        title: isNow ? 'Attempts' : 'The latest attempts',
        body: html`${rowsOf('Attempts', attemptColumns, attempts, 'Nothing has been tried yet.')}<p class="more"><a href="${pathOf('world', world_slug)}/attempts">All attempts</a> · <a href="${pathOf('world', world_slug)}/agents">its agents</a></p>`,
      },
      { id: 'forks', title: 'Forks', is_about_others: true, body: family.length > 1 && forkTree(family, world_slug) },
      {
        id: 'scenarios',
        title: 'Scenarios',
        body: html`<ul class="plain">${scenarios.map(({ from_turn, scenario_hash, scenario_label }) => html`<li>from turn ${from_turn}: ${linkTo('scenario', scenario_hash, scenario_label)}</li>`)}</ul>`,
      },
      {
        id: 'questions',
        title: 'Look at another turn, or at a difference',
        is_about_others: true,
        body: last_turn > 0 && askAbout(shown),
      },
      {
        id: 'actions',
        title: 'What operators did',
        is_about_others: true,
        body: shown.operator_actions.length > 0 && rowsOf('What operators did', actionColumns, shown.operator_actions),
      },
    ],
    ...decisionsOn('World', shown),
  };
}

/** What a world has used and cost; operators see by what. */
function drawCost({ world_slug, cost }: WorldPage, reader: Asked['reader']): Html {
  if (cost.calls === 0) return NOTHING;
  const more = html`<p class="more"><a href="${pathOf('world', world_slug)}/cost">By turn, subject, node and model, and what filled its prompts</a></p>`;
  return html`${costOf(cost)}${reader === 'operator' ? more : NOTHING}`;
}

/** A jump to a turn, and the differences between two turns or from another world. */
function askAbout({ world_slug, last_turn }: WorldPage): Html {
  const path = pathOf('world', world_slug);
  const turn = { is_whole: true };
  return html`${question(path, 'A turn', [{ ...turn, name: 'until', label: 'The story until turn', value: last_turn }], 'Go there')}
${question(
  `${path}/diff`,
  'A difference',
  [
    { ...turn, name: 'from', label: 'What changed from turn' },
    { ...turn, name: 'to', label: 'to turn', value: last_turn },
    { name: 'other', label: 'or to the world' },
    { name: 'entity', label: 'of the entity alone' },
  ],
  'Compare',
)}`;
}

/** The ways to the turns before and after those that are shown, and to the present. */
function drawSteps({ world_slug, earlier, later, last_turn }: WorldPage): Html {
  const now = html`<a href="${pathOf('world', world_slug)}">now, at turn ${last_turn} →</a>`;
  return html`<span class="steps">${earlier === null ? undefined : html`<a href="?until=${earlier}#story">← Earlier turns, from turn ${earlier} back</a> `}${later === null || later === last_turn ? undefined : html`<a href="?until=${later}#story">later turns, to turn ${later} →</a> `}${later === null ? undefined : now}</span>`;
}

/** In place of a story. The obstacle to a first turn, or its open attempt, comes before a command that plays one. */
function drawUnplayed({ world_slug, attempts: [latest] }: WorldPage, reader: Asked['reader']): Html {
  const isOpen = latest?.ended_at === null && !isUndriven(latest);
  if (latest === undefined || (!isOpen && latest.calls_in_doubt === 0))
    return reader === 'operator'
      ? html`<p class="empty">No turn has been played yet. <a href="#run-turns">Queue some</a>, or play one: <code>npx chukwa run ${world_slug}</code></p>`
      : html`<p class="empty">No turn has been played yet.</p>`;
  const { said, place, link } = statusOf(latest);
  return html`<p class="empty">No turn has been played yet. ${said} <a href="${place}">${link}</a></p>`;
}

/** The obstacle to a world's next turn, or its open attempt: the latest one, unless that is committed. */
function drawStatus({ turn, attempts: [latest] }: WorldPage): Html {
  if (latest === undefined || latest.attempted_turn <= turn) return NOTHING;
  const { said, place, link } = statusOf(latest);
  return html`<p class="world-status"><span class="status is-${toClass(stateOf(latest))}">${said}</span> <a href="${place}">${link}</a></p>`;
}

/** A sentence on a world, and the link to its subject. */
function statusOf(attempt: AttemptSummary) {
  const { status: state, attempt_id, failure_class, calls_in_doubt } = attempt;
  const turn = `Turn ${attempt.attempted_turn}`;
  const place = pathOf('attempt', attempt_id);
  if (isUndriven(attempt)) {
    const said = `The driver of turn ${attempt.attempted_turn} is gone. The next run resumes it.`;
    return { said, place, link: 'See its progress' };
  }
  if (state === 'running') return { said: `${turn} runs now.`, place, link: 'See what it does' };
  const waits = `${place}#waits`;
  if (state === 'suspended') return { said: `${turn} waits for an answer.`, place: waits, link: 'See for which' };
  if (calls_in_doubt === 0)
    return { said: `${turn} failed: ${words(failure_class ?? state)}.`, place, link: 'See why' };
  const inDoubt = `${calls_in_doubt} ${calls_in_doubt === 1 ? 'call is' : 'calls are'} in doubt`;
  return { said: `${turn} failed, and ${inDoubt}.`, place: waits, link: 'Settle the calls' };
}

function forkedFrom({ forked_from }: WorldSnapshot): Html {
  if (forked_from === undefined) return NOTHING;
  const { world_slug, turn } = forked_from;
  return html`; a fork of <a href="${pathOfTurn(world_slug, turn)}">${world_slug} at turn ${turn}</a>`;
}
