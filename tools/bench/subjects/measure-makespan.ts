import { contentHash } from '../../../engine/core/content/canonical.js';
import { compose } from '../../../engine/main.js';
import { median, say } from '../measures.js';
import { type Row, toRow } from '../row.js';
import { must } from '../../must.js';
import { type Crowd, openCrowd } from './crowd.js';
import { type Deeds, oracleOf, playCrowd } from './makespan.js';

const COUNTS = [25, 100, 300, 1_000];
/** The part of agents that change something that everybody in a place perceives. */
const RATES = [0, 0.1, 0.2, 0.3, 0.4, 0.5];
const TURNS = 5;
const IN_FLIGHT = 64;

/** The ratio of a concurrent turn to its least possible time, over virtual time, and what conflicts cost the reducer. */
export async function measureMakespan(): Promise<readonly Row[]> {
  const engine = must(await (await compose({ CHUKWA_DATABASE_URL: 'memory:' })).openEngine());
  const crowds: Crowd[] = [];
  for (const count of COUNTS) crowds.push(await openCrowd(engine, count));
  await engine.close();
  return [compareMakespans(crowds, Infinity, 0.9), compareMakespans(crowds, IN_FLIGHT, 0.77), compareCpu(crowds)];
}

function compareMakespans(crowds: readonly Crowd[], in_flight: number, goal: number): Row {
  const rates = RATES.map((rate) => {
    say(`playing crowds of whom ${rate * 100} % are in each other's way`);
    const played = crowds.flatMap((crowd) =>
      Array.from({ length: TURNS }, (_none, turn) => {
        const deeds = chooseDeeds(crowd, rate, turn);
        const { makespan_ms, calls } = playCrowd(crowd, deeds, in_flight);
        return { share: oracleOf(crowd, deeds, in_flight) / makespan_ms, calls: calls / crowd.places.length };
      }),
    );
    const share = median(played.map((one) => one.share));
    return { rate, share, calls: median(played.map((one) => one.calls)) };
  });
  const isAny = in_flight === Infinity;
  return toRow({
    id: isAny ? 'makespan_of_oracle' : 'makespan_of_oracle_in_flight',
    what: `least time of concurrent turns over their own, ${isAny ? 'any number' : in_flight} in flight`,
    value: Math.min(...rates.map(({ share }) => share)),
    unit: 'x',
    goal: { kind: 'at_least', value: goal },
    note: rates
      .map(({ rate, share, calls }) => `${rate * 100} %: ${share.toFixed(2)}, ${calls.toFixed(2)} calls each`)
      .join('; '),
  });
}

/** The cost of conflicts for the reducer: a superseded run is folded again. */
function compareCpu(crowds: readonly Crowd[]): Row {
  const [none, most] = [Math.min(...RATES), Math.max(...RATES)];
  say('counting the CPU of conflicts');
  const spent = crowds.map((crowd) => {
    playCrowd(crowd, chooseDeeds(crowd, most, TURNS));
    const medianOf = (rate: number): number =>
      median(Array.from({ length: TURNS }, (_none, turn) => spendOnCall(crowd, chooseDeeds(crowd, rate, turn))));
    return { count: crowd.places.length, calm: medianOf(none), busy: medianOf(most) };
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
