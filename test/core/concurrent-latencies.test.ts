import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import { smallPark } from '../support/park-documents.js';
import {
  type Clock,
  effectsOf,
  firstGenerations,
  meaningOf,
  play,
  RUNS,
  type Scene,
  sceneArbitrary,
  type Outcome,
  withoutNumber,
  withSpeculation,
} from './concurrent-scene.js';

/** A clock of virtual time, in seconds. */
interface VirtualClock extends Clock {
  now(): number;
}

/** Makes so many calls at a time, those of earlier subjects first. A call that is aborted ends at once. */
function openClock(seed: number, places: number): VirtualClock {
  const ends = new Map<string, number>();
  const endOf = ({ key }: Invoke): number => ends.get(key) ?? Infinity;
  let now = 0;
  return {
    now: () => now,
    next(waiting, aborted) {
      const byRank = waiting.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
      for (const command of byRank)
        if (!ends.has(command.key) && ends.size < places) ends.set(command.key, now + latencyOf(seed, command));
      const next = waiting.find(({ key }) => aborted.has(key)) ?? waiting.toSorted((a, b) => endOf(a) - endOf(b))[0];
      assert.ok(next);
      if (!aborted.has(next.key)) now = endOf(next);
      ends.delete(next.key);
      return next;
    },
  };
}

/** From 0 to 60 s, and the same for the same request; every fourth takes no time at all. */
function latencyOf(seed: number, { key, request_hash, retry }: Invoke): number {
  const about = { seed, key: withoutNumber(key), request_hash, retry: retry?.number ?? 0 };
  const dice = Number.parseInt(contentHash(about).slice(0, 8), 16);
  return dice % 4 === 0 ? 0 : dice % 61;
}

interface Timed extends Outcome {
  readonly took_s: number;
}

function playTimed(scene: Scene, max_speculative: number, places: number): Timed {
  const clock = openClock(scene.seed, places);
  const played = play(withSpeculation(smallPark(scene.park), max_speculative), { ...scene, clock }, () => false);
  return { ...played, took_s: clock.now() };
}

function compareTimed(places: number, holds: (concurrent: Timed, ordered: Timed, scene: Scene) => void): void {
  fc.assert(
    fc.property(sceneArbitrary, (scene) => {
      holds(playTimed(scene, scene.max_speculative, places), playTimed(scene, 0, places), scene);
    }),
    { ...RUNS, numRuns: 100 },
  );
}

for (const places of [1, 3, 1000]) {
  test(`a concurrent turn whose calls take 0 to 60 s, ${places} at a time, ends as the ordered one does`, () => {
    compareTimed(places, (concurrent, ordered) => {
      assert.deepEqual(meaningOf(concurrent.end), meaningOf(ordered.end));
      assert.deepEqual(effectsOf(concurrent), effectsOf(ordered));
    });
  });
}

test('a concurrent turn with a place for every call takes no longer than the ordered one', () => {
  compareTimed(Infinity, (concurrent, ordered) => {
    if (ordered.end?.kind === 'commit') assert.ok(concurrent.took_s <= ordered.took_s);
  });
});

test('a concurrent turn whose calls are made one at a time asks no more than the speculation that is allowed', () => {
  compareTimed(1, (concurrent, ordered, { max_speculative }) => {
    if (ordered.end?.kind !== 'commit') return;
    assert.ok(firstGenerations(concurrent) <= (max_speculative + 1) * firstGenerations(ordered));
  });
});
