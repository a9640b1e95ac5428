import { contentHash } from '../../../engine/core/content/canonical.js';
import type { Authoring } from '../../../engine/operations/engine.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { type Crowd, openCrowd } from './crowd.js';
import { type Deeds, oracleOf, playCrowd } from './makespan.js';

const COUNTS = [25, 100, 300, 1_000];
/** The part of agents that change something that everybody in a place perceives. */
const RATES = [0, 0.1, 0.2, 0.3, 0.4, 0.5];
const TURNS = 5;
const IN_FLIGHT = 64;

/** The ratio of a concurrent turn to its least possible time, over virtual time. */
export function measureMakespan(authoring: Authoring, progress: ProgressLine): readonly Row[] {
  return [...compareMakespans(authoring, progress), compareCpu(authoring, progress)];
}

function compareMakespans(authoring: Authoring, progress: ProgressLine): readonly Row[] {
  return [Infinity, IN_FLIGHT].map((in_flight) => {
    const rates = RATES.map((rate) => {
      progress.say(`playing crowds of whom ${rate * 100} % are in each other's way`);
      return { rate, ...playAll(authoring, rate, in_flight) };
    });
    const said = rates.map(
      ({ rate, share, calls }) => `${rate * 100} %: ${share.toFixed(2)}, ${calls.toFixed(2)} calls each`,
    );
    return toRow({
      id: in_flight === Infinity ? 'makespan_of_oracle' : 'makespan_of_oracle_in_flight',
      what: `least time of concurrent turns over their own, ${in_flight === Infinity ? 'any number' : in_flight} in flight`,
      value: Math.min(...rates.map(({ share }) => share)),
      unit: 'x',
      goal: { kind: 'at_least', value: in_flight === Infinity ? 0.9 : 0.77 },
      note: said.join('; '),
    });
  });
}

/** The cost of conflicts for the reducer: a superseded run is folded again. */
function compareCpu(authoring: Authoring, progress: ProgressLine): Row {
  const [none, most] = [Math.min(...RATES), Math.max(...RATES)];
  progress.say('counting the CPU of conflicts');
  const spent = COUNTS.map((count) => {
    const crowd = openCrowd(authoring, count);
    playCrowd(crowd, chooseDeeds(crowd, most, TURNS));
    const [calm, busy] = [none, most].map((rate) => {
      return median(Array.from({ length: TURNS }, (_none, turn) => spendOnCall(crowd, chooseDeeds(crowd, rate, turn))));
    });
    return { count, calm: calm ?? 0, busy: busy ?? 0 };
  });
  const said = spent.map(({ count, calm, busy }) => `${count}: ${busy.toFixed(0)} over ${calm.toFixed(0)} µs`);
  return toRow({
    id: 'cpu_of_conflicts',
    what: `reducer's CPU of a call in a concurrent turn, ${most * 100} % in each other's way over none`,
    value: Math.max(...spent.map(({ calm, busy }) => busy / calm)),
    unit: 'x',
    goal: { kind: 'at_most', value: 3 },
    note: `subjects: ${said.join('; ')}`,
  });
}

/** @returns microseconds, those of the virtual clock among them */
function spendOnCall(crowd: Crowd, deeds: Deeds): number {
  const began = process.cpuUsage();
  const { calls } = playCrowd(crowd, deeds);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / calls;
}

function playAll(
  authoring: Authoring,
  rate: number,
  in_flight: number,
): { readonly share: number; readonly calls: number } {
  const played = COUNTS.flatMap((count) => {
    const crowd = openCrowd(authoring, count);
    return Array.from({ length: TURNS }, (_none, turn) => {
      const deeds = chooseDeeds(crowd, rate, turn);
      const { makespan_ms, calls } = playCrowd(crowd, deeds, in_flight);
      return { share: oracleOf(crowd, deeds, in_flight) / makespan_ms, calls: calls / count };
    });
  });
  return { share: median(played.map(({ share }) => share)), calls: median(played.map(({ calls }) => calls)) };
}

/** Generations of 0.5 to 5 s; every second turn agents act on their own place, in the others on any. */
function chooseDeeds({ places }: Crowd, rate: number, turn: number): Deeds {
  const dice = (what: string, index: number): number =>
    Number.parseInt(contentHash({ what, index, rate, turn, of: places.length }).slice(0, 8), 16) / 2 ** 32;
  return {
    durations: places.map((_place, index) => 500 + 4_500 * dice('duration', index)),
    touched: places.map((place, index) => {
      const anywhere = places[Math.floor(dice('place', index) * places.length)] ?? place;
      return dice('acts', index) < rate ? [turn % 2 === 0 ? place : anywhere] : [];
    }),
  };
}
