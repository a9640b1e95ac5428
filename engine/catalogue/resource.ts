import type { Outcome } from '../contract/problem.js';
import type { Archive } from '../operations/engine.js';
import type { Answers } from './answers.js';
import type { ParameterName } from './parameters.js';
import type { RecordView } from './view.js';

/** What a reader asks of a resource: the keys that its path names, the values of its query, and the reader's role. */
export interface Asked {
  readonly parameters: Readonly<Record<ParameterName, string>>;
  readonly query: Readonly<Partial<Record<ParameterName, string>>>;
  readonly reader: 'consumer' | 'operator';
}

/**
 * One kind of thing that people and programs look at: command, page, JSON and links follow from it. A path names its keys
 * in the order in which the command takes them.
 */
export interface Resource<Kind extends keyof Answers = keyof Answers> {
  readonly path: string;
  /** The words of the command. */
  readonly command: string;
  readonly says: string;
  /** The least right that a reader needs. */
  readonly reader: 'consumer' | 'operator';
  /** The schema of its JSON. */
  readonly gives: Kind;
  /** The parameters that it takes beside its keys. */
  readonly takes: readonly ParameterName[];
  read(archive: Archive, asked: Asked): Promise<Outcome<Answers[Kind]>>;
  view(value: Answers[Kind], asked: Asked): RecordView;
}

/** Declares a resource; the type of its view follows from what it gives. */
export function resource<Kind extends keyof Answers>(declared: Resource<Kind>): Resource {
  // Each value comes back to the view of the resource that read it.
  return declared as unknown as Resource;
}

/** The names of the keys in a path, in order. */
export function keysOf(path: string): readonly ParameterName[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as ParameterName);
}
