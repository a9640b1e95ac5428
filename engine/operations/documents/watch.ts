import { loadDocuments } from './load.js';
import { type DocumentParts, validateLoaded, type Validation } from './validate.js';
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isPromptFile } from '../../core/workflow/link/document-kind.js';

/**
 * Checks files and folders now, and again after every change to them or to what they refer to.
 * @param signal ends it
 */
export async function* watchDocuments(
  parts: DocumentParts,
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Validation> {
  const watch = openFolderWatch(signal);
  try {
    while (!signal.aborted) {
      const loaded = await loadDocuments(paths, parts.place, parts.shipped);
      // A file that was read before its folder was watched may have changed in between.
      if (watch.cover(loaded.folders)) continue;
      yield await validateLoaded(parts, loaded);
      await watch.changed();
    }
  } finally {
    watch.close();
  }
}

/** The debounce time: programs that save a file often write it in several steps. */
const STILL_MS = 60;

/** Watches folders, not recursively. */
interface FolderWatch {
  /** Watches just these folders. @returns whether one of them was not watched before */
  cover(folders: readonly string[]): boolean;
  /** Waits until something has changed since the last answer, or until the signal ends it. */
  changed(): Promise<void>;
  close(): void;
}

/** Opens a watch of no folder. */
function openFolderWatch(signal: AbortSignal): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  const changes = new EventTarget();
  let count = 0;
  const note = (name: string | null): void => {
    if (name !== null && !mayMatter(name)) return;
    count += 1;
    changes.dispatchEvent(new Event('change'));
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const begin = (folder: string): boolean => {
    try {
      const watcher = watch(folder, { signal }, (_, name) => note(name));
      watcher.on('error', () => {
        forget(folder);
        note(null);
      });
      watchers.set(folder, watcher);
      return true;
    } catch {
      // The folder is gone: its parent is watched, or nothing can be.
      return false;
    }
  };
  let seen = 0;
  return {
    cover(folders) {
      for (const folder of [...watchers.keys()].filter((known) => !folders.includes(known))) forget(folder);
      const added = folders.filter((folder) => !watchers.has(folder)).filter(begin);
      return added.length > 0;
    },
    async changed() {
      if (count === seen && !signal.aborted) await once(changes, 'change', { signal }).catch(() => undefined);
      while (count !== seen && !signal.aborted) {
        seen = count;
        await setTimeout(STILL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
    close() {
      for (const folder of watchers.keys()) forget(folder);
    },
  };
}

/** JSON files, prompts, and names that may be folders. */
function mayMatter(name: string): boolean {
  return name.endsWith('.json') || isPromptFile(name) || (!name.startsWith('.') && !name.includes('.'));
}
