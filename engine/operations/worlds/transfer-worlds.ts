import { constants, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import type { Exported, FindDocumentFault, Imported, OpenAttempt } from '../../ports/transfer.js';
import { isObject } from '../../core/content/json-pointer.js';
import type { Archive, Engine } from '../engine.js';
import { FileFault, onFile } from '../file-fault.js';
import { unknownWorld } from './worlds.js';
import { writeNewFile } from '../write-files.js';

interface Moved {
  readonly worlds: readonly string[];
  readonly rows: number;
}

interface ExportRequest {
  readonly world_slugs: readonly string[];
  /** A path without a file. */
  readonly file: string;
  readonly working_folder: string;
}

/**
 * Writes worlds into a new file, with their whole record. Nothing is written while one of their attempts is open.
 */
export async function exportWorlds({ store }: Archive, request: ExportRequest): Promise<Outcome<Moved>> {
  const { file, working_folder, world_slugs } = request;
  return writeNewFile({ path: resolve(working_folder, file), shown: file, mode: 0o600 }, async (write) => {
    const lines = openLines(write);
    const exported = await store.transfer.export(world_slugs, lines.write);
    await lines.flush();
    return (await refuseExport({ store }, exported)) ?? succeed(exported as Extract<Exported, Moved>);
  });
}

const BUFFERED_CHARACTERS = 262_144;
const READ_BYTES = 262_144;

/** The longest accepted line. A row holds at most one answer, in two characters a byte. */
const LINE_CHARACTERS_MAX = 134_217_728;

function openLines(put: (text: string) => Promise<void>): {
  readonly write: (line: string) => Promise<void>;
  readonly flush: () => Promise<void>;
} {
  let buffered: string[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    const text = buffered.join('');
    buffered = [];
    characters = 0;
    await put(text);
  };
  const write = async (line: string): Promise<void> => {
    buffered.push(line, '\n');
    characters += line.length;
    if (characters >= BUFFERED_CHARACTERS) await flush();
  };
  return { write, flush };
}

async function refuseExport(archive: Archive, exported: Exported): Promise<Refused | undefined> {
  switch (exported.kind) {
    case 'exported':
      return undefined;
    case 'unknown_world':
      return unknownWorld(archive, exported.world_slug);
    case 'under_way':
      return refuse(worldUnderWay(exported.attempt, 'An export holds attempts that have ended.'));
    default:
      return unreachable(exported);
  }
}

/** Why a world cannot be moved or changed. @param because the reason, as a sentence */
export function worldUnderWay(
  { world_slug, attempt_id, attempted_turn, status }: OpenAttempt,
  because: string,
): Problem {
  const facts = { world_slug, attempt_id, attempted_turn, is_suspended: status === 'suspended', because };
  return problem('WORLD_UNDER_WAY', facts, { details: { world_slug, attempt_id } });
}

/** Takes in the worlds of a file: all of them, or none where a line does not fit or a document breaks its schema. */
export async function importWorlds(
  { store, authoring }: Pick<Engine, 'store' | 'authoring'>,
  { file, working_folder }: { readonly file: string; readonly working_folder: string },
): Promise<Outcome<Moved>> {
  try {
    const imported = await store.transfer.import(
      readLines(resolve(working_folder, file)),
      findDocumentFault(authoring.validateShape),
    );
    return toDone(imported, file);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    const { code, message: reason } = error;
    return refuse(
      code === 'ENOENT'
        ? problem('FILE_MISSING', { exported: file })
        : problem('FILE_UNREADABLE', { exported: file, reason }),
    );
  }
}

function findDocumentFault(validateShape: Engine['authoring']['validateShape']): FindDocumentFault {
  return (kind, { content = null, workflow_hash }) => {
    const fault = validateShape(kind, content).find(({ severity }) => severity !== 'note');
    if (fault !== undefined) return `content${fault.pointer ?? ''}: ${fault.message.replace(/\.$/, '')}`;
    if (kind !== 'cognition_profile' || !isObject(content)) return undefined;
    const { workflow_ref } = content;
    const isNamed = isObject(workflow_ref) && workflow_ref['hash'] === workflow_hash;
    return isNamed ? undefined : 'workflow_hash is not that of its content';
  };
}

function toDone(imported: Imported, file: string): Outcome<Moved> {
  switch (imported.kind) {
    case 'imported':
      return succeed(imported);
    case 'world_exists':
      return refuse(problem('WORLD_EXISTS', { slug: imported.world_slug, file }));
    case 'other_version':
      return refuse(problem('WORLD_FILE_OF_ANOTHER_VERSION', { file, ...imported }));
    case 'damaged':
      return refuse(problem('WORLD_FILE_DAMAGED', { file, reason: imported.reason }));
    default:
      return unreachable(imported);
  }
}

/** The lines of a file without their ends. Only a line feed ends a line: JSON may hold every other separator. */
async function* readLines(path: string): AsyncGenerator<string> {
  // Opening does not block, if it is a pipe without a writer.
  const handle = await onFile(open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const decoder = new StringDecoder('utf8');
  const bytes = Buffer.alloc(READ_BYTES);
  try {
    if (!(await onFile(handle.stat())).isFile()) throw new FileFault('not_a_file');
    let begun: string[] = [];
    let characters = 0;
    for (;;) {
      const { bytesRead } = await onFile(handle.read(bytes));
      if (bytesRead === 0) break;
      const [first = '', ...further] = decoder.write(bytes.subarray(0, bytesRead)).split('\n');
      begun.push(first);
      characters += first.length;
      if (characters > LINE_CHARACTERS_MAX) throw new FileFault('line_too_long');
      const last = further.pop();
      if (last === undefined) continue;
      yield begun.join('');
      yield* further;
      begun = [last];
      characters = last.length;
    }
    const rest = begun.join('') + decoder.end();
    if (rest !== '') yield rest;
  } finally {
    await handle.close();
  }
}
