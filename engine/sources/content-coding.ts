import { Duplex, pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The value of a request's `Accept-Encoding`. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** Codings may be nested; more than so many have no good reason. */
const CODINGS_MAX = 5;

// Decompressed bytes are handed on at once. A body without the mark of its end was cut, and ends with an error.
const ZLIB = { flush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH };

/** By the first byte of the body. */
type OpenDecoder = (first: number) => Transform;

const DECODERS = new Map<string, OpenDecoder>([
  ['gzip', () => createGunzip(ZLIB)],
  ['x-gzip', () => createGunzip(ZLIB)],
  ['deflate', openInflate],
  ['br', () => createBrotliDecompress(BROTLI)],
]);

/** A body as its sender had it before it was compressed. */
interface DecodedBody {
  readonly body: Readable;
  /** False where a coding is not known, or too many are there: then the body is as it came. */
  readonly is_decoded: boolean;
}

/**
 * Takes the codings off a body.
 * @param content_encoding what the response says of it; undefined where it says nothing
 */
export function decodeBody(body: Readable, content_encoding: string | undefined): DecodedBody {
  const listed = content_encoding?.split(',').map((coding) => coding.trim().toLowerCase()) ?? [];
  const codings = listed.filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.toReversed().map((coding) => DECODERS.get(coding));
  if (codings.length > CODINGS_MAX || decoders.includes(undefined)) return { body, is_decoded: false };
  return {
    body: decoders.reduce<Readable>((encoded, open) => (open ? pass(encoded, open) : encoded), body),
    is_decoded: true,
  };
}

/** The method that a header of zlib names in its first half byte. */
const DEFLATE = 8;

/** By its name deflate has a header, and some servers leave that out. */
function openInflate(first: number): Transform {
  return (first & 0x0f) === DEFLATE ? createInflate(ZLIB) : createInflateRaw(ZLIB);
}

/** An error of either one ends both. */
function pass(encoded: Readable, open: OpenDecoder): Readable {
  return pipeline(encoded, new Decoding(open), () => {
    // The reader of the decoded body gets the error.
  });
}

/** Takes one coding off. Without a first byte nothing is decoded: an empty body is empty in every coding. */
class Decoding extends Duplex {
  readonly #open: OpenDecoder;
  #decoder: Transform | undefined;

  constructor(open: OpenDecoder) {
    super();
    this.#open = open;
  }

  override _write(piece: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (piece.length === 0) return done();
    this.#decoder ??= this.#start(piece.readUInt8());
    this.#decoder.write(piece, encoding, done);
  }

  override _read(): void {
    this.#decoder?.resume();
  }

  override _final(done: () => void): void {
    if (this.#decoder === undefined) this.push(null);
    else this.#decoder.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#decoder?.destroy();
    done(error);
  }

  #start(first: number): Transform {
    const decoder = this.#open(first);
    decoder.on('data', (piece: Uint8Array) => {
      if (!this.push(piece)) decoder.pause();
    });
    decoder.on('end', () => this.push(null));
    decoder.on('error', (error) => this.destroy(error));
    return decoder;
  }
}
