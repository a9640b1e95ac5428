import { Worker } from 'node:worker_threads';
import type { LoadStage, WatchSettings } from './load-watch-thread.js';

/** Sees, from a thread of its own, that modules come to an end. */
export interface LoadWatch {
  /** The plugin whose modules are imported from now on. */
  loading(plugin: LoadStage): void;
  close(): void;
}

const SETTINGS: WatchSettings = { tick_ms: 500, note_ticks: 4, end_ticks: 40 };

/**
 * Starts the thread that says on standard error which plugin is being loaded for long, and ends the process where that
 * plugin keeps it from doing anything else.
 * @param program the compiled thread: threads run no TypeScript
 */
export function startLoadWatch(program: string, settings: WatchSettings = SETTINGS): LoadWatch {
  const thread = new Worker(program, { workerData: settings, execArgv: [], stdin: false });
  // Without it everything is as before, except that nobody says for what it waits.
  thread.on('error', () => {});
  thread.unref();
  return {
    loading: (plugin) => thread.postMessage(plugin, []),
    close: () => void thread.terminate(),
  };
}
