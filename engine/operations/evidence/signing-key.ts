import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { sha256 } from '../../core/content/sha256.js';
import type { SigningKey } from '../../core/evidence/signed-note.js';
import { findForeign } from '../authoring/own-files.js';
import { writeOwnFile } from '../write-files.js';

const PUBLIC_KEY_BYTES = 32;

const EXPOSED = {
  open_to_others: 'other users may read',
  of_another: 'another user owns',
  not_a_file: 'no regular file is',
};

/**
 * Reads the key that signs checkpoints; makes one where there is none, for this user alone.
 * @param file undefined where the operator has to name one
 */
export async function loadSigningKey(file: string | undefined): Promise<Outcome<SigningKey>> {
  if (file === undefined) return unusable('CHUKWA_SIGNING_KEY names no file, and this database has no folder');
  const made = await writeOwnFile(file, makeKey(), { replaces: false });
  if (!made.ok && made.problems[0]?.code !== 'FILE_EXISTS') return unusable(made.problems[0]?.message ?? '');
  try {
    const foreign = await findForeign(file);
    if (foreign !== undefined) return unusable(`${EXPOSED[foreign]} ${file}`);
    const key = createPrivateKey(await readFile(file, 'utf8'));
    return key.asymmetricKeyType === 'ed25519' ? succeed(toSigningKey(key)) : unusable(`${file} holds another key`);
  } catch {
    // The reason could quote the file.
    return unusable(`${file} holds no key, or cannot be read`);
  }
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** The name of a log follows from its key. */
function toSigningKey(key: KeyObject): SigningKey {
  const public_key = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
  return {
    name: `chukwa/${sha256(public_key).slice(0, 16)}`,
    public_key,
    sign: (message) => sign(null, message, key),
  };
}

function unusable(reason: string): Refused {
  return refuse(problem('SIGNING_KEY_UNUSABLE', { reason }));
}
