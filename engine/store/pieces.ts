/** Streamed pieces of a batch, as their text is cut. */
interface Pieces {
  /** Bytes of each piece. */
  readonly lengths: readonly number[];
  /** Milliseconds from the start of the call to each piece; they do not fall. */
  readonly offsets_ms: readonly number[];
}

/** As a row holds them: of each piece its bytes and the milliseconds since the piece before, unsigned LEB128. */
export function encodePieces({ lengths, offsets_ms }: Pieces): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const [index, length] of lengths.entries()) {
    const offset = Math.max(before, Math.round(offsets_ms[index] ?? 0));
    pushNumber(bytes, length);
    pushNumber(bytes, offset - before);
    before = offset;
  }
  return Uint8Array.from(bytes);
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
}

/** The pieces that a row holds. */
export function decodePieces(bytes: Uint8Array): Pieces {
  const numbers: number[] = [];
  let [value, place] = [0, 1];
  for (const byte of bytes) {
    value += (byte % 0x80) * place;
    place *= 0x80;
    if (byte >= 0x80) continue;
    numbers.push(value);
    [value, place] = [0, 1];
  }
  let offset = 0;
  const offsets_ms = numbers.filter((_number, index) => index % 2 === 1).map((since) => (offset += since));
  return { lengths: numbers.filter((_number, index) => index % 2 === 0), offsets_ms };
}
