import { present } from '../../contract/present.js';
import { joinPresences } from './presence.js';
import { type Reading, readPath } from './read-path.js';
import { eitherShape, literalShape, type Shape, UNKNOWN } from './shape.js';
import type { Json } from '../../contract/json.js';

/** Subjects that are given the same, and the shape of all that they can read. */
export interface Reader {
  /** None where nobody acts yet. */
  readonly subject_ids: readonly string[];
  readonly context: Shape;
}

/** One path as all its readers see it. */
export interface JoinedReading {
  readonly presence: Reading['presence'];
  /** Of what is read, where anything can be. */
  readonly shape: Shape;
  /** Subjects for whom it may be missing, though others have it. */
  readonly lacking: readonly string[];
  /** Why no reader finds anything. */
  readonly never?: Extract<Reading, { readonly presence: 'never' }>;
}

/** Reads one path for all of its readers. @returns undefined where it has none */
export function readAsAll(readers: readonly Reader[], tokens: readonly string[]): JoinedReading | undefined {
  const readings = readers.map((reader) => ({ reader, reading: readPath(reader.context, tokens) }));
  const [first] = readings;
  if (first === undefined) return undefined;
  const found = readings.flatMap(({ reading }) => (reading.presence === 'never' ? [] : [reading.shape]));
  const wanting = readings.filter(({ reading }) => reading.presence !== 'there');
  return {
    presence: joinPresences(readings.map(({ reading }) => reading.presence)),
    shape: found.length === 0 ? UNKNOWN : eitherShape(found),
    lacking: wanting.length === readings.length ? [] : wanting.flatMap(({ reader }) => reader.subject_ids),
    ...present({ never: found.length === 0 && first.reading.presence === 'never' ? first.reading : undefined }),
  };
}

/** The shape of what a read gives, its default included. */
export function shapeRead({ presence, shape }: JoinedReading, fallback: Json | undefined): Shape {
  if (presence === 'there' || fallback === undefined) return shape;
  return presence === 'never' ? literalShape(fallback) : eitherShape([shape, literalShape(fallback)]);
}
