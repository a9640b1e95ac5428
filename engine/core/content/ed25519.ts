import { createPublicKey, verify } from 'node:crypto';

/** What stands before the 32 bytes of a public key in its standard form (RFC 8410, SubjectPublicKeyInfo in DER). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the holder of an Ed25519 key (RFC 8032) has signed these bytes. @param public_key 32 bytes */
export function isSignedBy(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, public_key]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
}

const PRIME = 2n ** 255n - 19n;
/** One of the two y of order 8; the other is its negative. */
const OF_ORDER_8 = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const OF_SMALL_ORDER: readonly bigint[] = [0n, 1n, PRIME - 1n, OF_ORDER_8, PRIME - OF_ORDER_8];

/**
 * Whether a public key names a point in the one way of RFC 8032, and not one of the eight points of small order, with
 * which anybody can sign.
 * @param public_key 32 bytes
 */
export function isSoundKey(public_key: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(public_key.toReversed()).toString('hex')}`) & (2n ** 255n - 1n);
  return y < PRIME && !OF_SMALL_ORDER.includes(y);
}
