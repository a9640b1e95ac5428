import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

const BLOCK = 512;
const DIRECTORY = '5';

/**
 * Writes the files of a tar archive (ustar, as PGlite dumps it) into a folder.
 * @throws Error on an entry that would leave the folder
 */
export async function unpackTar(archive: Buffer, folder: string): Promise<void> {
  for (let offset = 0; offset + BLOCK <= archive.length && archive[offset] !== 0; ) {
    const entry = readHeader(archive.subarray(offset, offset + BLOCK));
    const content = archive.subarray(offset + BLOCK, offset + BLOCK + entry.size);
    await unpackEntry(entry, content, folder);
    offset += BLOCK + Math.ceil(entry.size / BLOCK) * BLOCK;
  }
}

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

function readHeader(header: Buffer): Entry {
  const field = (start: number, length: number): string => {
    const text = header.toString('latin1', start, start + length);
    const end = text.indexOf('\u0000');
    return end < 0 ? text : text.slice(0, end);
  };
  const prefix = field(345, 155);
  return {
    name: prefix ? `${prefix}/${field(0, 100)}` : field(0, 100),
    type: field(156, 1),
    size: Number.parseInt(field(124, 12).trim() || '0', 8),
  };
}

async function unpackEntry(entry: Entry, content: Buffer, folder: string): Promise<void> {
  const place = normalize(entry.name).replace(/^\/+/, '');
  if (place.startsWith('..')) throw new Error(`the archive reaches out of its folder: ${entry.name}`);
  const path = join(folder, place);
  if (entry.type === DIRECTORY || entry.name.endsWith('/')) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, content, { mode: 0o600 });
}
