import { createPublicKey, verify } from 'node:crypto';

/** What stands before the 32 bytes of a public key in its standard form (RFC 8410, SubjectPublicKeyInfo in DER). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the holder of an Ed25519 key (RFC 8032) has signed these bytes. @param public_key 32 bytes */
export function isSignedBy(public_key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, public_key]), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
}
