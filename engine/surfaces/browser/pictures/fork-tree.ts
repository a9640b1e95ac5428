import type { WorldRecord } from '../../../ports/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { linkTo, shorten } from '../parts/text.js';
import { pathOf, pathOfTurn } from '../../../catalogue/places.js';
import { niceStep, toPercent } from './time-scale.js';

/** The room of names; the turns share what is left of the page, but for a label behind the last, in percent. */
const LEFT = 150;
const TURNS_WIDTH = 88;
const EDGE = 2;
const TOP = 30;
const ROW = 34;
const NAME_LENGTH_MAX = 22;
const TICKS = 12;

interface Branch {
  readonly world: WorldRecord;
  readonly row: number;
  /** The row of its parent; undefined where the parent is not shown. */
  readonly parent: number | undefined;
}

/**
 * Worlds that share their first turns: each is a line over its turns that begins at its fork. A list says the same in
 * words.
 * @param here the world whose page this is
 */
export function forkTree(worlds: readonly WorldRecord[], here: string): Html {
  const branches = toBranches(worlds);
  const last = Math.max(1, ...worlds.map(({ turn }) => turn));
  const x = (turn: number): string => toPercent(EDGE + (turn / last) * TURNS_WIDTH);
  const height = TOP + branches.length * ROW;
  const label = `${worlds.length} worlds that share turns. The list below says the same in words.`;
  return html`<div class="picture beside"><svg class="tree" width="${LEFT}" height="${height}" role="group" aria-label="Worlds"><text class="axis-name" x="0" y="14">turn</text>${branches.map(drawName)}</svg>
<svg class="tree" height="${height}" role="group" aria-label="${label}"><title>Tree of forks</title>${ticks(last).map((turn, index) => html`<g class="axis" aria-hidden="true"><line x1="${x(turn)}" x2="${x(turn)}" y1="${TOP - 8}" y2="${height - 6}"/><text x="${x(turn)}" y="14" class="${index % 2 === 0 ? 'major' : 'minor'}" text-anchor="middle">${turn}</text></g>`)}
${branches.map((branch) => drawBranch(branch, x, here))}</svg></div>
<ul class="plain">${branches.map(({ world }) => sentence(world, here))}</ul>`;
}

/** Depth first, and forks of one world by their turn: no line crosses another. */
function toBranches(worlds: readonly WorldRecord[]): readonly Branch[] {
  const names = new Set(worlds.map(({ world_slug }) => world_slug));
  const branches: Branch[] = [];
  const add = (world: WorldRecord, parent: number | undefined): void => {
    const row = branches.length;
    branches.push({ world, row, parent });
    const own = worlds.filter(({ forked_from }) => forked_from?.world_slug === world.world_slug);
    for (const fork of own.toSorted((one, other) => leftAt(other) - leftAt(one))) add(fork, row);
  };
  for (const world of worlds) if (!names.has(world.forked_from?.world_slug ?? '')) add(world, undefined);
  return branches;
}

function leftAt({ forked_from }: WorldRecord): number {
  return forked_from?.turn ?? 0;
}

function ticks(last: number): readonly number[] {
  const step = Math.max(1, niceStep(last / TICKS));
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
}

const middleOf = (row: number): number => TOP + row * ROW + ROW / 2;

function drawName({ world: { world_slug }, row }: Branch): Html {
  return html`<a href="${pathOf('world', world_slug)}"><text x="0" y="${middleOf(row) + 4}">${shorten(world_slug, NAME_LENGTH_MAX)}</text><title>${world_slug}</title></a>`;
}

function drawBranch({ world, row, parent }: Branch, x: (turn: number) => string, here: string): Html {
  const { world_slug, turn } = world;
  const y = middleOf(row);
  const [from, end] = [x(leftAt(world)), x(turn)];
  const stem =
    parent === undefined
      ? NOTHING
      : html`<line class="stem" x1="${from}" x2="${from}" y1="${middleOf(parent)}" y2="${y}"/>`;
  return html`<g class="branch${world_slug === here ? ' is-here' : ''}">${stem}<line class="stem" x1="${from}" x2="${end}" y1="${y}" y2="${y}"/>
<a href="${pathOfTurn(world_slug, turn)}"><circle cx="${end}" cy="${y}" r="5"/><text class="value" x="${end}" dx="11" y="${y + 4}">${turn}</text><title>${world_slug} is at turn ${turn}</title></a></g>`;
}

function sentence({ world_slug, turn, forked_from }: WorldRecord, here: string): Html {
  const name = world_slug === here ? html`<strong>${world_slug}</strong>` : linkTo('world', world_slug);
  const compared =
    world_slug === here
      ? NOTHING
      : html` · <a href="${pathOf('world', here)}/diff?other=${world_slug}">how it differs from this one</a>`;
  if (forked_from === undefined) return html`<li>${name} is at turn ${turn}${compared}</li>`;
  return html`<li>${name} left ${forked_from.world_slug} after turn ${forked_from.turn}, and is at turn ${turn}${compared}</li>`;
}
