import { decodeBase64, encodeBase64 } from './base64.js';
import type { Hash } from './merkle.js';

// The text of a checkpoint, as C2SP tlog-checkpoint v1.0.0 defines it, and the proof file of C2SP tlog-proof v1.

/** A log at one size: what the holder of its key signs. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/** The checkpoint of a note's text; undefined where it is none. Lines behind the third are opaque. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', sizeText = '', rootText = '', ...more] = text.split('\n');
  const size = parseCount(sizeText);
  const root = decodeHash(rootText);
  if (origin === '' || size === undefined || root === undefined) return undefined;
  return more.pop() === '' && !more.includes('') ? { origin, size, root } : undefined;
}

const PROOF_TITLE = 'c2sp.org/tlog-proof@v1';

/** That an entry stands in a log. What the entry is follows from `extra`, by the rules of who reads it. */
interface LogProof {
  readonly extra: Uint8Array;
  readonly index: number;
  readonly proof: readonly Hash[];
  /** The signed note. */
  readonly checkpoint: string;
}

export function formatLogProof({ extra, index, proof, checkpoint }: LogProof): string {
  const lines = [PROOF_TITLE, `extra ${encodeBase64(extra)}`, `index ${index}`, ...proof.map(encodeBase64)];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Whether a text means to be such a file. */
export function isLogProof(text: string): boolean {
  return text.startsWith(PROOF_TITLE);
}

/** The proof of a file's text; undefined where it is none. One without `extra` proves nothing to us. */
export function parseLogProof(text: string): LogProof | undefined {
  const end = text.indexOf('\n\n');
  const [title, extraLine = '', indexLine = '', ...hashes] = text.slice(0, Math.max(end, 0)).split('\n');
  const extra = extraLine.startsWith('extra ') ? decodeBase64(extraLine.slice('extra '.length)) : undefined;
  const index = indexLine.startsWith('index ') ? parseCount(indexLine.slice('index '.length)) : undefined;
  const proof = hashes.map(decodeHash).filter((hash) => hash !== undefined);
  if (title !== PROOF_TITLE || extra === undefined || index === undefined || proof.length !== hashes.length)
    return undefined;
  return { extra, index, proof, checkpoint: text.slice(end + 2) };
}

function decodeHash(text: string): Hash | undefined {
  const bytes = decodeBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
}

function parseCount(text: string): number | undefined {
  const count = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(count) ? count : undefined;
}
