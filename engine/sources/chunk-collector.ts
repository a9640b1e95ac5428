/**
 * Collects streamed pieces and writes them in batches. Waiting: nothing has arrived, no alarm is set. Collecting: an
 * alarm is set, or a write is under way; never two writes at once. Finished: the rest is handed over, not written. A
 * piece may end in half a character or in half a secret: that half waits for the next piece.
 */
import type { Alarm } from '../contract/source.js';
import type { ChunkBatch } from '../ports/sources.js';
import type { Ending, SecretReplacer } from './secrets.js';
import { makeSourceFailure } from './source-failure.js';
import { toStorableJson } from '../core/content/i-json.js';

const FLUSH_FIRST_MS = 250;
const FLUSH_LAST_MS = 5_000;

interface ChunkOutside {
  /** Milliseconds since the start of the call. */
  readonly offset: () => number;
  readonly write: (batch: ChunkBatch) => Promise<void>;
  /** Called once, when a write failed. */
  readonly lost: () => void;
  readonly secrets: Pick<SecretReplacer, 'pieces'>;
  readonly alarm: Alarm;
  /** Of all the text. */
  readonly max_bytes: number;
}

interface Piece {
  readonly text: string;
  readonly offset_ms: number;
}

/** The collector of one call. A short stream is never written: it leaves with `finish`. */
export class ChunkCollector {
  readonly #outside: ChunkOutside;
  #pieces: Piece[] = [];
  #halfCharacter = '';
  #bytes = 0;
  #batches = 0;
  #delay_ms = FLUSH_FIRST_MS;
  #cancelAlarm: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #loss: { readonly thrown: unknown } | undefined;

  constructor(outside: ChunkOutside) {
    this.#outside = outside;
  }

  /** @throws SourceFailure where the text grows beyond its limit */
  chunk(text: string): void {
    this.#count(text);
    const whole = this.#halfCharacter + text;
    this.#halfCharacter = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    this.#keep(whole.slice(0, whole.length - this.#halfCharacter.length));
    this.#setAlarm();
  }

  /** Waits for a write under way. @returns what has not been written @throws what a write threw */
  async finish(): Promise<ChunkBatch | undefined> {
    this.#cancelAlarm?.();
    await this.#writing;
    this.#cancelAlarm?.();
    if (this.#loss) throw this.#loss.thrown;
    this.#keep(this.#halfCharacter);
    return toBatch(clean(this.#pieces, this.#outside.secrets, 'whole'), this.#batches + 1);
  }

  #count(text: string): void {
    const { max_bytes } = this.#outside;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes <= max_bytes) return;
    throw makeSourceFailure('result_too_large', `the model said more than ${max_bytes} bytes, which is the limit`);
  }

  #keep(text: string): void {
    if (text !== '') this.#pieces.push({ text: toStorableJson(text), offset_ms: this.#outside.offset() });
  }

  #setAlarm(): void {
    if (this.#cancelAlarm || this.#writing || this.#loss || this.#pieces.length === 0) return;
    this.#cancelAlarm = this.#outside.alarm(this.#delay_ms, () => this.#flush());
  }

  #flush(): void {
    this.#cancelAlarm = undefined;
    this.#delay_ms = Math.min(this.#delay_ms * 2, FLUSH_LAST_MS);
    const settled = clean(this.#pieces, this.#outside.secrets, 'cut');
    this.#pieces = this.#pieces.slice(settled.length);
    const batch = toBatch(settled, this.#batches + 1);
    if (!batch) return this.#setAlarm();
    this.#batches += 1;
    this.#writing = this.#write(batch);
  }

  async #write(batch: ChunkBatch): Promise<void> {
    try {
      await this.#outside.write(batch);
    } catch (thrown) {
      this.#loss = { thrown };
      this.#outside.lost();
    }
    this.#writing = undefined;
    this.#setAlarm();
  }
}

/** The pieces without secrets; where others follow, up to the first that begins a secret continuing in those. */
function clean(pieces: readonly Piece[], secrets: ChunkOutside['secrets'], ending: Ending): readonly Piece[] {
  const texts = secrets.pieces(
    pieces.map(({ text }) => text),
    ending,
  );
  return pieces.slice(0, texts.length).map(({ offset_ms }, index) => ({ text: texts[index] ?? '', offset_ms }));
}

function toBatch(given: readonly Piece[], batch_seq: number): ChunkBatch | undefined {
  const pieces = given.filter(({ text }) => text !== '');
  if (pieces.length === 0) return undefined;
  return {
    batch_seq,
    text: Buffer.from(pieces.map(({ text }) => text).join('')),
    lengths: pieces.map(({ text }) => Buffer.byteLength(text)),
    offsets_ms: pieces.map(({ offset_ms }) => offset_ms),
  };
}
