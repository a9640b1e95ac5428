import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What a request says that it takes. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

/** Codings may be put around each other; nobody does so more often without a reason to. */
const CODINGS_MAX = 5;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
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

/** What breaks the one breaks the other. */
function pass(encoded: Readable, decoder: Transform): Readable {
  return pipeline(encoded, decoder, () => {
    // Whoever reads the decoder hears of it.
  });
}
