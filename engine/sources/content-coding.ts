import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The value of a request's `Accept-Encoding`. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** Codings may be nested; more than so many have no good reason. */
const CODINGS_MAX = 5;

// Decompressed bytes are handed on at once, and a body without the mark of its end is accepted as it is: servers send
// such bodies, and HTTP clients accept them.
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const DECODERS = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(ZLIB)],
  ['x-gzip', () => createGunzip(ZLIB)],
  ['deflate', () => new Inflate()],
  ['br', () => createBrotliDecompress(BROTLI)],
]);

/** A body as its sender had it before it was compressed. */
export interface DecodedBody {
  readonly body: Readable;
  /** False where a coding is not known: then the body is as it came. */
  readonly is_decoded: boolean;
}

/**
 * Takes the codings off a body.
 * @param content_encoding what the response says of it; undefined where it says nothing
 */
export function decodeBody(body: Readable, content_encoding: string | undefined): DecodedBody {
  if (content_encoding === undefined) return { body, is_decoded: false };
  const codings = content_encoding.split(',').map((coding) => coding.trim().toLowerCase());
  const decoders = codings.toReversed().map((coding) => DECODERS.get(coding));
  if (codings.length > CODINGS_MAX || decoders.includes(undefined)) return { body, is_decoded: false };
  return {
    body: decoders.reduce<Readable>((encoded, open) => (open ? pass(encoded, open()) : encoded), body),
    is_decoded: true,
  };
}

/** An error of either one ends both. */
function pass(encoded: Readable, decoder: Transform): Readable {
  return pipeline(encoded, decoder, () => {
    // The reader of the decoder gets the error.
  });
}

/** The method that a header of zlib names in its first half byte. */
const DEFLATE = 8;

/** By its name deflate has a header, and some servers leave that out: the first byte shows it. */
class Inflate extends Transform {
  #inflate: Transform | undefined;

  override _transform(piece: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    if (piece.length === 0) return done();
    this.#inflate ??= this.#open(piece.readUInt8());
    this.#inflate.write(piece, encoding, done);
  }

  override _final(done: TransformCallback): void {
    if (this.#inflate === undefined) return done();
    this.#inflate.once('end', () => done());
    this.#inflate.end();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #open(first: number): Transform {
    const inflate = (first & 0x0f) === DEFLATE ? createInflate(ZLIB) : createInflateRaw(ZLIB);
    inflate.on('data', (piece: Uint8Array) => this.push(piece));
    inflate.on('error', (error) => this.destroy(error));
    return inflate;
  }
}
