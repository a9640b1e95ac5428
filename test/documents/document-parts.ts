import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type DocumentParts, type Finding, loadShippedSchemas } from '../../engine/operations/documents/index.js';
import { createCompileSchema, createValidateDocument, createValidateShape } from '../../engine/schema/index.js';
import { makeFolder } from '../support/folder.js';

export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The real schemas and validators; plugins of the names that ship, which accept any interface; no scenario has a fault. */
export async function documentParts(workingFolder: string, root?: string): Promise<DocumentParts> {
  const shipped = await loadShippedSchemas(join(PACKAGE_ROOT, 'schemas'));
  const plugins = ['csv', 'file_json', 'http_json', 'llm_chat', 'mcp_tool'].map((name) => ({
    name,
    validateInterface: () => [],
  }));
  const validateDocument = createValidateDocument(createValidateShape(shipped, createCompileSchema()), plugins);
  const place = root === undefined ? { working_folder: workingFolder } : { working_folder: workingFolder, root };
  return { place, shipped, validateDocument, checkScenario: () => [] };
}

/** A folder that the test's end takes away, with files by name; values are written as JSON, texts and bytes as they are. */
export async function folderOf(test: TestContext, files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await makeFolder(test);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(join(folder, name), isRaw ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
  return folder;
}

/** A finding in one line. */
export function inShort({ file, line, column, code, pointer, severity }: Finding): string {
  return `${file}:${line}:${column} ${code}${severity === 'note' ? ' (note)' : ''} at ${JSON.stringify(pointer)}`;
}
