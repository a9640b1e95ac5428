import type { TurnStory, PatchStory } from '../../../operations/browse/worlds.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { count, shorten } from '../parts/text.js';
import { pathOfPatch } from '../../../catalogue/places.js';
import { isAppended } from '../../../catalogue/patches.js';
import { toPercent } from './time-scale.js';

/** The room of names; the turns share what is left of the page, at most so much each, in percent. */
const LEFT = 132;
const STEP_MAX = 12.5;
const TOP = 36;
const ROW = 28;
const PLACE_GAP = 14;
const INDENT = 14;
const RING = 7;
const DOT = 3.5;
const MEMORY = 2.5;
const MEMORY_ASIDE = 10;
const NAME_LENGTH_MAX = 20;
const LINES_MAX = 20;
/** How many characters of a state a mark shows when it is pointed at. */
const STATE_LENGTH_MAX = 80;

/**
 * Places and states over turns: a row for each place and for each entity in it, a mark for each turn in which an entity
 * acted or changed. The story says the same in words.
 * @param story the latest turn first, at least one
 */
export function lifeLines(world: WorldSnapshot, story: readonly TurnStory[]): Html {
  const all = linesOf(
    world,
    story.flatMap(({ patches }) => patches),
  );
  const lines = all.slice(0, LINES_MAX);
  const left_out = all.length - lines.length;
  const turns = story.map(({ turn }) => turn);
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  const step = Math.min(STEP_MAX, 100 / (last - first + 1));
  const x = (turn: number): string => toPercent((turn - first + 0.5) * step);
  const rows = lines.map((line, index) => ({ line, y: TOP + index * ROW + gapsBefore(lines, index) * PLACE_GAP }));
  const height = (rows.at(-1)?.y ?? TOP) + ROW / 2;
  const label = `Places and who is there, from turn ${first} to turn ${last}. The story tells the same in words.`;
  return html`<div class="picture beside"><svg class="lives" width="${LEFT}" height="${height}" aria-hidden="true"><text class="axis-name" x="0" y="14">turn</text>${rows.map(({ line, y }) => drawName(line, y))}</svg>
<svg class="lives" height="${height}" role="group" aria-label="${label}"><title>Who was where, turn by turn</title><g class="axis" aria-hidden="true">${turns.map((turn) => html`<line x1="${x(turn)}" x2="${x(turn)}" y1="22" y2="${height}"/><text class="${turn % 2 === last % 2 ? 'major' : 'minor'}" x="${x(turn)}" y="14" text-anchor="middle">${turn}</text>`)}</g>
${rows.map(({ line, y }) => drawMarks(line, { y, x, world_slug: world.world_slug }))}</svg></div>
<ul class="legend"><li>${key(html`<circle class="acted" cx="8" cy="8" r="${DOT}"/>`)}acted</li><li>${key(html`<circle class="changed" cx="8" cy="8" r="${RING}"/>`)}is in another state</li><li>${key(html`<circle class="recalls" cx="8" cy="8" r="${MEMORY}"/>`)}remembers something new</li></ul>${left_out === 0 ? undefined : html`<p class="note">${count(left_out)} more places and entities are not drawn.</p>`}`;
}

function key(mark: Html): Html {
  return html`<svg class="lives" width="16" height="16" aria-hidden="true">${mark}</svg>`;
}

function gapsBefore(lines: readonly Line[], index: number): number {
  return lines.slice(1, index + 1).filter(({ is_place }) => is_place).length;
}

interface Drawing {
  readonly y: number;
  readonly x: (turn: number) => string;
  readonly world_slug: string;
}

function drawName({ name, is_place }: Line, y: number): Html {
  return html`<text${is_place ? html` class="place-name"` : undefined} x="${is_place ? 0 : INDENT}" y="${y + 4}">${shorten(name, NAME_LENGTH_MAX)}</text>`;
}

function drawMarks({ name, is_place, marks }: Line, drawing: Drawing): Html {
  const { y } = drawing;
  const rule = html`<line class="rule" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  return html`<g>${is_place ? undefined : rule}${marks.map((mark) => drawMark(shorten(name, NAME_LENGTH_MAX), mark, drawing))}</g>`;
}

function drawMark(name: string, mark: Mark, { y, x, world_slug }: Drawing): Html {
  const { turn, patch_seq, has_acted, state, has_new_memory } = mark;
  const stands = has_acted || state !== undefined;
  // Beside a mark, in pixels, where the place of the turn is in percent.
  const aside = stands ? html` transform="translate(${MEMORY_ASIDE})"` : NOTHING;
  const memory = html`<circle class="recalls" cx="${x(turn)}" cy="${y}" r="${MEMORY}"${aside}/>`;
  return html`<a href="${pathOfPatch(world_slug, turn, patch_seq)}">${state === undefined ? undefined : html`<circle class="changed" cx="${x(turn)}" cy="${y}" r="${RING}"/>`}${has_acted ? html`<circle class="acted" cx="${x(turn)}" cy="${y}" r="${DOT}"/>` : undefined}${has_new_memory ? memory : undefined}<title>${name}, turn ${turn}: ${sentenceOf(mark)}</title></a>`;
}

function sentenceOf({ has_acted, state, has_new_memory }: Mark): string {
  const parts = [
    ...(has_acted ? ['acted'] : []),
    ...(state === undefined ? [] : [`is now ${shorten(state, STATE_LENGTH_MAX)}`]),
    ...(has_new_memory ? ['remembers something new'] : []),
  ];
  return parts.join('; ');
}

/** The changes of an entity, or of a place, in one turn. */
export interface Mark {
  readonly turn: number;
  /** The patch that caused it: the entity's own, where it acted. */
  readonly patch_seq: number;
  readonly has_acted: boolean;
  /** Absent where the state did not change. */
  readonly state?: string;
  readonly has_new_memory: boolean;
}

/** A row: a place, or an entity in it. */
export interface Line {
  readonly name: string;
  readonly is_place: boolean;
  readonly marks: readonly Mark[];
}

/** One change of an entity or of a place. */
interface Happening extends Partial<Omit<Mark, 'turn' | 'patch_seq'>> {
  readonly key: string;
  readonly turn: number;
  readonly patch_seq: number;
}

/** Places, each with the entities in it, by their changes; entities without any are left out. */
export function linesOf({ environments, entities }: WorldSnapshot, patches: readonly PatchStory[]): readonly Line[] {
  const happened = new Map<string, Happening[]>();
  for (const one of patches.flatMap(happeningsOf)) {
    const known = happened.get(one.key);
    if (known === undefined) happened.set(one.key, [one]);
    else known.push(one);
  }
  const marks = (key: string): readonly Mark[] => toMarks(happened.get(key) ?? []);
  const places = [...environments.map(({ label }) => label), undefined];
  return places.flatMap((label): readonly Line[] => {
    const place = { name: label ?? 'nowhere', is_place: true, marks: marks(placeKey(label ?? '')) };
    const here = entities
      .filter(({ environment }) => environment === label)
      .map(({ id, name }) => ({ name, is_place: false, marks: marks(entityKey(id)) }))
      .filter((line) => line.marks.length > 0);
    return here.length === 0 && place.marks.length === 0 ? [] : [place, ...here];
  });
}

const entityKey = (id: string): string => `entity ${id}`;
const placeKey = (label: string): string => `place ${label}`;

function happeningsOf({ turn, patch_seq, workflow_subject_entity_id: subject, effects }: PatchStory) {
  const at = { turn, patch_seq };
  return [
    { key: entityKey(subject), ...at, has_acted: true },
    ...effects.map(({ op, entity_id, environment_label, state_after }): Happening => {
      const key = entity_id === null ? placeKey(environment_label ?? '') : entityKey(entity_id);
      return isAppended(op) ? { key, ...at, has_new_memory: true } : { key, ...at, state: state_after };
    }),
  ];
}

function toMarks(happened: readonly Happening[]): readonly Mark[] {
  const marks = new Map<number, Mark>();
  for (const { key: _key, ...one } of happened) {
    const known = marks.get(one.turn) ?? { has_acted: false, has_new_memory: false, ...one };
    const patch_seq = one.has_acted === true ? one.patch_seq : known.patch_seq;
    marks.set(one.turn, { ...known, ...one, patch_seq });
  }
  return [...marks.values()];
}
