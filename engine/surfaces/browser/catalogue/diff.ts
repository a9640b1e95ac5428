import { type DiffedChange, type WorldDiff } from '../../../operations/diff-worlds.js';
import { browseDiff } from '../../../operations/browse/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { emptyState, itemPage, type Page, type View } from '../page.js';
import { blame } from '../parts/changes.js';
import { change } from '../parts/text.js';
import { pathOfTurn } from '../places.js';
import { worldCrumb } from './overview.js';

/** What changed from one turn of a world to another, each change with blame. */
export const diff: Page = itemPage({
  url: '/worlds/:world_slug/diff',
  access: 'consumer',
  summary: 'What changed from one turn of a world to another, each change with what brought it about.',
  answer: 'Diff',
  query: ['from', 'to'],
  read: (archive, { parameters: { world_slug = '' }, query: { from, to } }) =>
    browseDiff(archive, { world_slug, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }),
  view: viewDiff,
});

function viewDiff({ from, to, changes }: WorldDiff): View {
  const { world_slug } = to;
  return {
    title: `${world_slug}: turn ${from.turn} to turn ${to.turn}`,
    eyebrow: 'What changed',
    trail: [{ path: '/worlds', text: 'Worlds' }, worldCrumb(world_slug)],
    lede: html`From <a href="${pathOfTurn(from.world_slug, from.turn)}">turn ${from.turn}</a> to <a href="${pathOfTurn(world_slug, to.turn)}">turn ${to.turn}</a>.`,
    sections: [
      {
        id: 'changes',
        title: `${changes.length} ${changes.length === 1 ? 'value' : 'values'}`,
        body:
          changes.length === 0
            ? emptyState('Nothing is different between the two turns.')
            : html`<ul class="effects">${changes.slice(0, CHANGES_SHOWN).map(drawChange)}</ul>${notShown(changes.length)}`,
      },
    ],
  };
}

/** How many changes one page shows. */
const CHANGES_SHOWN = 200;

function notShown(changes: number): Html {
  return changes <= CHANGES_SHOWN
    ? NOTHING
    : html`<p class="note">${changes - CHANGES_SHOWN} more; the JSON has them all.</p>`;
}

function drawChange(one: DiffedChange): Html {
  const who = one.kind === 'environment_content' ? one.environment_label : one.entity_id;
  const latest = one.blame?.at(-1);
  return html`<li class="effect"><span class="who">${who}</span> <span class="op">${one.kind === 'entity_memory' ? 'remembers' : 'is now'}</span>
<span class="change">${change(one.before, one.after)}</span> ${latest === undefined ? undefined : blame(latest)}</li>`;
}
