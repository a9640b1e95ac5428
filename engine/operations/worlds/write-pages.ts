import { type Outcome, refuse } from '../../contract/problem.js';
import { resolve } from 'node:path';
import type { Composition, ExportedPages, PagesToExport } from '../composition.js';
import type { Archive } from '../engine.js';
import { attemptUnknown, showAttempt } from '../browse/records.js';
import { checkNewFile, writeNewText } from '../write-files.js';

interface PagesRequest extends PagesToExport {
  /** A path without a file. */
  readonly file: string;
  readonly working_folder: string;
}

/** Writes the pages of a world, or of one attempt of it, into a new file that a browser shows without a server. */
export async function writePages(
  composition: Pick<Composition, 'exportPages'>,
  archive: Archive,
  { file, working_folder, ...wanted }: PagesRequest,
): Promise<Outcome<ExportedPages>> {
  const place = { path: resolve(working_folder, file), shown: file };
  const free = await checkNewFile(place);
  if (!free.ok) return free;
  const foreign = await refuseForeign(archive, wanted);
  if (foreign !== undefined) return foreign;
  const pages = await composition.exportPages(archive, wanted);
  if (!pages.ok) return pages;
  const written = await writeNewText(place, pages.value.text);
  return written.ok ? pages : written;
}

async function refuseForeign(archive: Archive, { world_slug, attempt_id }: PagesToExport) {
  if (attempt_id === undefined) return undefined;
  const attempt = await showAttempt(archive, attempt_id);
  if (!attempt.ok) return attempt;
  return attempt.value.world_slug === world_slug ? undefined : refuse(attemptUnknown(attempt_id));
}
