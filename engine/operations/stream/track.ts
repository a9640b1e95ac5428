import type { Told } from '../../core/stream/told.js';
import type { FactCursor } from '../../ports/stream.js';
import type { FactReader } from '../../store/open-store.js';

/** The subject of a stream: one attempt, or the attempts of a world one after the other, later ones included. */
export type Track =
  | { readonly kind: 'attempt'; readonly attempt_id: string }
  | { readonly kind: 'world'; readonly world_slug: string };

export interface Position {
  /** Undefined in a world without attempts. */
  readonly cursor: FactCursor | undefined;
  /** The attempt of the cursor has ended. */
  readonly is_over: boolean;
}

export interface Stretch {
  readonly facts: readonly Told[];
  readonly position: Position;
  readonly has_more: boolean;
}

/** Reads on along a track. @param until at most to this record number */
export async function readOn(reader: FactReader, track: Track, position: Position, until?: number): Promise<Stretch> {
  const cursor = await findCursor(reader, track, position);
  if (cursor === undefined) return { facts: [], position, has_more: false };
  const page = await reader.read(cursor, until);
  const goesOn = page.has_more || (page.is_over && track.kind === 'world');
  return { facts: page.facts, position: { cursor: page.cursor, is_over: page.is_over }, has_more: goesOn };
}

/** The record numbers of a world's attempts are consecutive, so one number is the position in all of them. */
async function findCursor(
  reader: FactReader,
  track: Track,
  { cursor, is_over }: Position,
): Promise<FactCursor | undefined> {
  if (cursor !== undefined && !is_over) return cursor;
  if (track.kind === 'attempt') return undefined;
  const next = await reader.next(track.world_slug, cursor?.attempt_id);
  return next === undefined ? undefined : { ...next, after: cursor?.after ?? 0 };
}

/** A position as a record number. */
export function reachOf({ cursor }: Position): number {
  return cursor?.after ?? 0;
}

/** Whether a track has ended. */
export function isAtEnd(track: Track, { is_over }: Position): boolean {
  return track.kind === 'attempt' && is_over;
}
