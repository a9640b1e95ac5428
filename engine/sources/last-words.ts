import type { Readable } from 'node:stream';
import { toStorableText } from './storable-text.js';

const LINES_MAX = 200;
const LINE_LENGTH_MAX = 1_000;
const TAIL_BYTES_MAX = 4_096;

/**
 * Reads what a program says beside its answers, for as long as it says anything, so that it never waits for a reader.
 * The first lines go to the log.
 * @returns what gives the end of it
 */
export function listenToErrors(stream: Readable, log: (line: string) => void): () => Uint8Array {
  let [tail, line, lines] = [Buffer.alloc(0), '', 0];
  const tell = (text: string): void => {
    lines += 1;
    if (lines > LINES_MAX || text.trim() === '') return;
    log(toStorableText(text).slice(0, LINE_LENGTH_MAX));
    if (lines === LINES_MAX) log(`after ${LINES_MAX} lines the rest is left out`);
  };
  stream.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]).subarray(-TAIL_BYTES_MAX);
    const [first = '', ...rest] = piece.toString('utf8').split('\n');
    const pieces = [line + first, ...rest];
    line = (pieces.pop() ?? '').slice(0, LINE_LENGTH_MAX);
    pieces.forEach(tell);
  });
  stream.on('end', () => tell(line));
  stream.on('error', () => {});
  return () => tail;
}
