import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, succeed } from '../../contract/problem.js';
import { SHIPPED_PREFIX, resolveWithin } from '../../core/workflow/link/resolve-path.js';
import { fromValue, type LoadedFiles, toLoaded } from './load.js';

/** A document that a request holds. */
export interface SentDocument {
  /** By which the other documents of the request refer to it, such as `cast/bob.json`. */
  readonly path: string;
  /** JSON, or the text of a prompt. */
  readonly content: Json;
}

/** The folder in which the documents of a request seem to lie; nothing is read from it. */
export const SENT_ROOT = '/sent';

/**
 * Documents of a request, as those of a folder are loaded; they refer to each other, to shipped schemas and, by hash, to
 * stored documents.
 * @returns a refusal of a path that is no relative one
 */
export function loadSent(
  documents: readonly SentDocument[],
  shipped: ReadonlyMap<string, JsonObject>,
): Outcome<LoadedFiles> {
  const resolve_path = resolveWithin([SENT_ROOT], SENT_ROOT);
  const files = [...shipped].map(([name, schema]) => fromValue(`${SHIPPED_PREFIX}${name}`, 'json_schema', schema));
  for (const { path, content } of documents) {
    const place = resolve_path(`${SENT_ROOT}/request`, path);
    if (!place.ok) return place;
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    files.push(toLoaded(place.value, place.value.slice(SENT_ROOT.length + 1), succeed(text)));
  }
  return succeed({ files, folders: [], resolve_path, left_out: [], neighbours: files.map(({ path }) => path) });
}
