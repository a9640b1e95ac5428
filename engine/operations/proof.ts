import { createHmac, createHash, randomBytes } from 'node:crypto';
import { isSame, type Tokens } from './tokens.js';

// A token that is sent is known to its receiver. A proof reveals nothing but that its maker has the operator's token:
// it holds for one request, at one server, once, and for a minute.

/** The scheme of the header that `prove` makes. */
export const PROOF_SCHEME = 'Chukwa-Proof';
/** The validity of a proof, in both directions: both clocks are those of one machine. */
const HOLDS_MS = 60_000;
const NONCE_BYTES = 16;

interface ProvedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The server it is for, by its announced name. */
  readonly server: string;
}

export interface Proved {
  readonly body_hash: string;
}

/** The value of an `Authorization` header that proves a request once. @param at in milliseconds since 1970 */
export function prove(
  tokens: Pick<Tokens, 'operator_token'>,
  request: ProvedRequest,
  body: string | Uint8Array,
  at: number,
): string {
  const claims = { at: String(at), nonce: randomBytes(NONCE_BYTES).toString('base64url'), body_hash: hashOf(body) };
  return `${PROOF_SCHEME} ${claims.at}.${claims.nonce}.${claims.body_hash}.${sign(tokens, request, claims)}`;
}

/**
 * Judges a header at a moment, in milliseconds since 1970.
 * @returns the hash that the body must have; undefined where the header proves nothing
 */
type JudgeProof = (header: string, request: ProvedRequest, at: number) => Proved | undefined;

/** Judges proofs by the operator's token, and remembers used ones until they expire. */
export function openProofJudge(tokens: Pick<Tokens, 'operator_token'>): JudgeProof {
  const seen = new Map<string, number>();
  return (header, request, at) => {
    const claims = readClaims(header);
    if (claims === undefined || Math.abs(at - Number(claims.at)) > HOLDS_MS) return undefined;
    if (!isSame(claims.signature, sign(tokens, request, claims))) return undefined;
    // Only signed nonces are kept: without the token nobody can fill the memory.
    for (const [nonce, until] of seen) if (until < at) seen.delete(nonce);
    if (seen.has(claims.nonce)) return undefined;
    seen.set(claims.nonce, Number(claims.at) + HOLDS_MS);
    return { body_hash: claims.body_hash };
  };
}

/** The hash of a body, as a proof names it. */
export function hashOf(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

interface Claims {
  readonly at: string;
  readonly nonce: string;
  readonly body_hash: string;
}

const HEADER = new RegExp(`^${PROOF_SCHEME} (\\d{1,15})\\.([\\w-]{22})\\.([\\w-]{43})\\.([\\w-]{43})$`, 'i');

function readClaims(header: string): (Claims & { readonly signature: string }) | undefined {
  const [, at, nonce, body_hash, signature] = HEADER.exec(header) ?? [];
  return at === undefined || nonce === undefined || body_hash === undefined || signature === undefined
    ? undefined
    : { at, nonce, body_hash, signature };
}

function sign(
  { operator_token }: Pick<Tokens, 'operator_token'>,
  { method, path, server }: ProvedRequest,
  { at, nonce, body_hash }: Claims,
): string {
  const key = createHmac('sha256', operator_token).update('chukwa: key of proofs').digest();
  const text = [server, method.toUpperCase(), path, body_hash, at, nonce].join('\n');
  return createHmac('sha256', key).update(text).digest('base64url');
}
