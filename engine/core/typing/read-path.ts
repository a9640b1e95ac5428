import { followPresences } from './presence.js';
import type { Shape } from './shape.js';
import { namesBelow, stepInto } from './step.js';

/** The target of a path: something, perhaps something, or nothing ever. */
export type Reading =
  | { readonly presence: 'there' | 'maybe'; readonly shape: Shape }
  | {
      readonly presence: 'never';
      /** How many tokens lead somewhere. */
      readonly depth: number;
      /** The names that can follow those that do. */
      readonly known: readonly string[];
      /** Of what they lead to. */
      readonly shape: Shape;
    };

/** Walks a path through the shape of what will be read. */
export function readPath(shape: Shape, tokens: readonly string[]): Reading {
  let reading: { readonly presence: 'there' | 'maybe'; readonly shape: Shape } = { presence: 'there', shape };
  for (const [depth, token] of tokens.entries()) {
    const step = stepInto(reading.shape, token);
    const presence = followPresences(reading.presence, step.presence);
    if (presence === 'never') return { presence, depth, known: namesBelow(reading.shape), shape: reading.shape };
    reading = { presence, shape: step.shape };
  }
  return reading;
}
