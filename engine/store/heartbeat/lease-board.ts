import type { AttemptLease } from '../../ports/attempts.js';

// Memory that the main thread writes and the heartbeat's thread reads. A message would wake that thread twice for each turn,
// which costs more than everything else that a worker does beside driving. Each slot is free, or holds one lease as JSON:
//
//     version, length, text
//
// Its length is 0 while it is free and while it is written. Its version changes before a new text is written, so that a
// reader notices that the text has changed under its eyes.

/** More than a worker has hands. */
const SLOTS = 1_024;
/** The world's name has 64 characters at most; all else of a lease is an id and two numbers. */
const SLOT_BYTES = 256;
const WORDS = 2;
const SLOT_WORDS = SLOT_BYTES / Int32Array.BYTES_PER_ELEMENT;
/** Before the slots: how often the main thread has reported that its event loop turns. */
const AWAKE = 0;

/** A board without any lease. */
export function openBoard(): SharedArrayBuffer {
  return new SharedArrayBuffer((1 + SLOTS) * SLOT_BYTES);
}

/** Reports that the event loop of the main thread turns. */
export function sayAwake(board: SharedArrayBuffer): void {
  Atomics.add(new Int32Array(board), AWAKE, 1);
}

/** Counts these reports. */
export function countAwake(board: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(board), AWAKE);
}

/** Writes a lease on the board. @returns what takes it off again @throws Error where the board is full */
export function postLease(board: SharedArrayBuffer, lease: AttemptLease): () => void {
  const words = new Int32Array(board);
  const version = firstFree(words);
  const length = version + 1;
  Atomics.add(words, version, 1);
  Atomics.store(words, length, textAt(board, version).write(JSON.stringify(lease)));
  return () => void Atomics.store(words, length, 0);
}

function firstFree(words: Int32Array): number {
  for (let version = SLOT_WORDS; version < words.length; version += SLOT_WORDS)
    if (Atomics.load(words, version + 1) === 0) return version;
  throw new Error(`a worker keeps ${SLOTS} leases at most`);
}

/** The leases on the board. One that changes at this moment is left out: it is read the next time. */
export function readLeases(board: SharedArrayBuffer): readonly AttemptLease[] {
  const words = new Int32Array(board);
  const leases: AttemptLease[] = [];
  for (let at = SLOT_WORDS; at < words.length; at += SLOT_WORDS) {
    const version = Atomics.load(words, at);
    const text = textAt(board, at).toString('utf8', 0, Atomics.load(words, at + 1));
    if (text !== '' && Atomics.load(words, at) === version) leases.push(JSON.parse(text) as AttemptLease);
  }
  return leases;
}

function textAt(board: SharedArrayBuffer, version: number): Buffer {
  const head = WORDS * Int32Array.BYTES_PER_ELEMENT;
  return Buffer.from(board, version * Int32Array.BYTES_PER_ELEMENT + head, SLOT_BYTES - head);
}
