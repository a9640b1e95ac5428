import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKFLOWS = fileURLToPath(new URL('../../workflows', import.meta.url));
const FOLDERS = ['park', 'policies', 'prompts', 'schemas', 'sources', 'tools'];

export interface Sent {
  readonly path: string;
  /** The text of the document, JSON or a prompt. */
  content: string;
}

/** The documents of the park, as an assistant holds them. */
export function writePark(): readonly Sent[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(WORKFLOWS, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(json|md)$/.test(entry.name) && !entry.name.endsWith('.test.json'))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const text = readFileSync(file, 'utf8');
        const content = file.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text;
        return { path: relative(WORKFLOWS, file), content };
      }),
  );
}
