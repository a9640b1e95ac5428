import { loadDocuments } from './load.js';
import { type DocumentParts, validateLoaded, type Validation } from './validate.js';
import { openFolderWatch } from './watch-folders.js';

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
