import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS_FILE, type HistorySet, setFolder } from './history.js';

/**
 * Records a set and writes it beside the others, unless there is one of that version.
 * @param place the folder of all sets and the version that `record` records
 * @returns the folder that was written; undefined where it existed, and then nothing is recorded
 */
export async function writeSet(
  place: { readonly histories: string; readonly renderer_version: string },
  record: () => Promise<HistorySet>,
): Promise<string | undefined> {
  const folder = setFolder(place.renderer_version, place.histories);
  if (existsSync(folder)) return undefined;
  const { documents, histories } = await record();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  write(DOCUMENTS_FILE, documents);
  for (const [name, history] of histories) write(`${name}.json`, history);
  return folder;
}
