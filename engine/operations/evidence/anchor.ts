import { open, readFile } from 'node:fs/promises';
import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { type Checkpoint, parseCheckpoint } from '../../core/evidence/checkpoint.js';
import { type VerifierKey, verifyNote } from '../../core/evidence/signed-note.js';

/** What keeps checkpoints outside the database: a file that grows by each, or a command that is given each. */
export type Anchor =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'command'; readonly give: (note: string, signal: AbortSignal) => Promise<unknown> };

const COMMAND_MS_MAX = 30_000;

/** A checkpoint in a file that may hold other text as well, such as the beginning of one that was cut off. */
const NOTES = /(?:(?!— )[^\n]+\n)+\n(?:— [^\n]+\n)+/g;

/** A checkpoint as an anchor has it. */
export interface Anchored {
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

/**
 * The largest checkpoint of a key in the file of an anchor; undefined where there is none, or a command keeps them. A
 * smaller one that stands behind it may be of a database that was put back.
 */
export async function findAnchored(anchor: Anchor, key: VerifierKey): Promise<Outcome<Anchored | undefined>> {
  if (anchor.kind === 'command') return succeed(undefined);
  try {
    const notes = (await readFile(anchor.file, 'utf8')).match(NOTES) ?? [];
    const said = notes.toReversed().flatMap((note) => {
      const checkpoint = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
      return checkpoint?.origin === key.name ? [{ note, checkpoint }] : [];
    });
    const largest = said.toSorted((one, other) => other.checkpoint.size - one.checkpoint.size);
    return succeed(largest.find(({ note }) => verifyNote(note, key).kind === 'signed'));
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? succeed(undefined) : failed(`its file cannot be read (${code})`);
  }
}

/** Gives a checkpoint to an anchor, and waits until it is kept. */
export function giveToAnchor(anchor: Anchor, note: string): Promise<Outcome<undefined>> {
  return anchor.kind === 'file' ? append(anchor.file, note) : give(anchor, note);
}

async function append(file: string, note: string): Promise<Outcome<undefined>> {
  try {
    const handle = await open(file, 'a');
    try {
      // The last one may have been cut off in the middle of a line.
      const isEmpty = (await handle.stat()).size === 0;
      await handle.writeFile(isEmpty ? note : `\n\n${note}`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return succeed(undefined);
  } catch (error) {
    return failed(`its file cannot be written (${codeOf(error)})`);
  }
}

async function give(anchor: Extract<Anchor, { readonly kind: 'command' }>, note: string): Promise<Outcome<undefined>> {
  const signal = AbortSignal.timeout(COMMAND_MS_MAX);
  try {
    await anchor.give(note, signal);
    return succeed(undefined);
  } catch (error) {
    if (signal.aborted) return failed(`its command has not ended within ${COMMAND_MS_MAX / 1_000} seconds`);
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(reason: string): Refused {
  return refuse(problem('ANCHOR_FAILED', { reason }));
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}
