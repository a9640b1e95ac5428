import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';

// The main thread cannot see that a module keeps it busy for ever, since it does nothing else then. What it would have
// done in time, it has to have done long before `end_ticks`. Ticks are counted and not time: those of a process that was
// put to sleep are not made up for.

/** How patient the watch is. */
export interface WatchSettings {
  readonly tick_ms: number;
  /** After so many, it says what is waited for. */
  readonly note_ticks: number;
  /** After so many, it ends the process. */
  readonly end_ticks: number;
}

/** The plugin whose modules are being imported. */
export interface LoadStage {
  readonly name: string;
  readonly folder: string;
}

const { tick_ms, note_ticks, end_ticks } = workerData as WatchSettings;

/** The environment is at fault. */
const EXIT_CODE = 4;

/** Where even an interrupt is not heard, as within a call of the system. */
const KILL_TICKS = 4;

let stage: LoadStage | undefined;
let ticks = 0;

parentPort?.on('message', (next: LoadStage) => {
  stage = next;
  ticks = 0;
});

setInterval(() => {
  if (stage === undefined) return;
  ticks += 1;
  if (ticks === note_ticks) say(`chukwa: the plugin ${stage.name} is still being loaded ...`);
  if (ticks === end_ticks) endProcess(stage);
  if (ticks === end_ticks + KILL_TICKS) process.kill(process.pid, 'SIGKILL');
}, tick_ms);

function endProcess({ name, folder }: LoadStage): void {
  const place = JSON.stringify(folder);
  say(`error: the plugin ${name} keeps this process busy while it is loaded, and nothing else can go on.`);
  say(`  what to do: Take the loop out of what its modules do at import, or take the plugin away: ${place}`);
  say('  details: PLUGIN_ENTRY_FAILED');
  const session = new Session();
  session.connectToMainThread();
  // An interrupt is heard within a loop. On its way out Node.js would say that it waits for a debugger, which is this one.
  const expression = `process.getBuiltinModule('node:fs').closeSync(2); (process.reallyExit.own ?? process.reallyExit).call(process, ${EXIT_CODE});`;
  session.post('Runtime.evaluate', { expression });
}

function say(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody listens any more.
  }
}
