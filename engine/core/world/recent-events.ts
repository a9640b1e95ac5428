import { joinPieces, type Origins, ofPatch, type Piece, structure } from '../prompt/origins.js';
import { quoteName, quoteText } from '../prompt/quote.js';
import { partsOf, PATCH_OPERATIONS, targetOf } from './patch-operations.js';
import { perceivesEntity, perceivesPlace, type Projection } from './projection.js';
import type { Entity, World, WorldEvent } from './world.js';
import type { WorldEffect } from './world-patch.js';

/*
 * The room of events is bounded: a model pays for each character, and texts of others must not crowd out the rest of a
 * prompt. The latest event is always shown; older ones are, as long as all of them together have room.
 */
const SHOWN_LENGTH_MAX = 16_000;
const EFFECTS_SHOWN_MAX = 20;
const TEXT_LENGTH_MAX = 1_000;

/** The events of the last turns before the one that begins. */
export function recentEvents({ turn, events }: World, turns: number): readonly WorldEvent[] {
  return events.filter((event) => event.turn > turn - turns);
}

/** A subject's perception of an event; without the acting subject, where that is not perceived itself. */
interface PerceivedEvent {
  readonly turn: number;
  readonly acting?: { readonly subject: Entity; readonly narration: string };
  readonly effects: readonly WorldEffect[];
  readonly origins: Origins;
}

/**
 * A subject's perceptions of the events that its projection includes, oldest first. A narration is perceived where its
 * subject is, an effect where the entity or environment is that it changed. Memories are perceived by nobody: the agent
 * that has one is shown it as a memory.
 */
function perceiveEvents(world: World, subject: Entity, projection: Projection): readonly PerceivedEvent[] {
  const { events } = projection;
  if (events === undefined) return [];
  return recentEvents(world, events.turns).flatMap(({ turn, subject_id, patch, origins }) => {
    const doer = world.entities.get(subject_id);
    const isPerceived = doer !== undefined && perceivesEntity(subject, projection, doer);
    const perceived = patch.effects.filter((effect) => perceivesEffect(world, subject, projection, effect));
    if (!isPerceived && perceived.length === 0) return [];
    const acting = isPerceived ? { acting: { subject: doer, narration: patch.narration } } : {};
    return [{ turn, ...acting, effects: perceived, origins: ofPatch(origins) }];
  });
}

function perceivesEffect(world: World, subject: Entity, projection: Projection, effect: WorldEffect): boolean {
  if (PATCH_OPERATIONS[effect.op].perceived_as === undefined) return false;
  const { target } = partsOf(effect);
  if (targetOf(effect.op) === 'environment_label') return perceivesPlace(subject, projection, target);
  const entity = world.entities.get(target);
  return entity !== undefined && perceivesEntity(subject, projection, entity);
}

/** The events that a subject perceives, as a prompt shows them: oldest first, each with its effects. */
export function renderEvents(world: World, subject: Entity, projection: Projection): readonly Piece[] {
  return renderLatest(perceiveEvents(world, subject, projection));
}

/** The narrations and effects of a subject's own latest turns, memories included, as a prompt shows them. */
export function renderOwnTurns(world: World, subject: Entity, { own_turns = 0 }: Projection): readonly Piece[] {
  const own = recentEvents(world, own_turns).filter(({ subject_id }) => subject_id === subject.id);
  return renderLatest(
    own.map(({ turn, patch: { narration, effects }, origins }) => {
      return { turn, acting: { subject, narration }, effects, origins: ofPatch(origins) };
    }),
  );
}

function renderLatest(events: readonly PerceivedEvent[]): readonly Piece[] {
  const [latest, ...before] = events
    .toReversed()
    .map((event): Piece => ({ text: renderEvent(event), origins: event.origins }));
  if (latest === undefined) return [structure('- none')];
  const shown = [latest];
  let room = SHOWN_LENGTH_MAX - latest.text.length;
  for (const event of before) {
    room -= event.text.length;
    if (room < 0) break;
    shown.push(event);
  }
  const left_out = before.length + 1 - shown.length;
  const note = left_out === 0 ? [] : [structure(`- (${left_out} earlier left out)`)];
  return joinPieces([...note, ...shown.toReversed()], '\n');
}

function renderEvent({ turn, acting, effects }: PerceivedEvent): string {
  const what =
    acting === undefined
      ? 'It is not seen who did this:'
      : `${quoteName(acting.subject.name)} (id: ${acting.subject.id}): ${cut(acting.narration)}`;
  const more = effects.length - EFFECTS_SHOWN_MAX;
  return [
    `- [turn ${turn}] ${what}`,
    ...effects.slice(0, EFFECTS_SHOWN_MAX).map(renderEffect),
    ...(more > 0 ? [`  - and ${more} more changes`] : []),
  ].join('\n');
}

function renderEffect(effect: WorldEffect): string {
  const { target, text } = partsOf(effect);
  const what = targetOf(effect.op) === 'entity_id' ? target : `the place ${target}`;
  return `  - ${what} ${PATCH_OPERATIONS[effect.op].perceived_as ?? 'remembers'}: ${cut(text)}`;
}

/** A quoted text, cut where it is long, never within a character. */
function cut(text: string): string {
  const quoted = quoteText(text.slice(0, TEXT_LENGTH_MAX));
  if (text.length <= TEXT_LENGTH_MAX && quoted.length <= TEXT_LENGTH_MAX) return quoted;
  return `${quoted.slice(0, TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, '')}...`;
}
