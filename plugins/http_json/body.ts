/** A body, as far as it could be read, and the error that ended the reading early. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly broke?: { readonly thrown: unknown };
}

/** Reads a body to its end, or as far as it goes. */
export async function readBody(response: Response): Promise<ReadBody> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array);
    return { bytes: join(pieces) };
  } catch (thrown) {
    return { bytes: join(pieces), broke: { thrown } };
  }
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
