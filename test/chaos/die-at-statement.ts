import { writeSync } from 'node:fs';
import pg from 'pg';

// Loaded before the program, of which it is no part: kills the process at one moment of its life. Each statement has two
// moments: an odd one before it is sent, and an even one when its answer has arrived and nothing has read it.

const death = Number(process.env['CHUKWA_TEST_DIES_AT'] ?? Infinity);
let sent = 0;

function reach(moment: number): void {
  if (moment === death) process.kill(process.pid, 'SIGKILL');
}

const { query } = pg.Client.prototype;

function queryUntilDeath(this: pg.Client, ...call: readonly unknown[]): unknown {
  sent += 1;
  const answered = 2 * sent;
  reach(answered - 1);
  const handle = call.at(-1);
  if (typeof handle !== 'function') {
    const answer: unknown = Reflect.apply(query, this, call);
    return answer instanceof Promise ? answer.finally(() => reach(answered)) : answer;
  }
  const reachAndHandle = (...answer: readonly unknown[]): void => {
    reach(answered);
    Reflect.apply(handle, undefined, answer);
  };
  return Reflect.apply(query, this, [...call.slice(0, -1), reachAndHandle]);
}

Object.assign(pg.Client.prototype, { query: queryUntilDeath });

/** Where a process that lived to its end says how many moments it had. */
process.once('exit', () => writeSync(2, `\nmoments: ${2 * sent}\n`));
