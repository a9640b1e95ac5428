import { resolve } from 'node:path';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { isLogProof } from '../../core/evidence/checkpoint.js';
import { malformed, verifyBundle, type VerifiedBundle } from '../../core/evidence/bundle.js';
import { type VerifiedClaim, verifyClaim } from '../../core/evidence/claim.js';
import { parseVerifierKey } from '../../core/evidence/signed-note.js';
import { readRegularFile } from '../documents/index.js';

const EVIDENCE_BYTES_MAX = 256 * 1_048_576;

interface VerifyRequest {
  readonly file: string;
  readonly working_folder: string;
  /** The key that has to have signed it. */
  readonly key?: string;
}

/** What a file proves, and whether somebody has named the key that had to sign it. */
export interface Verified {
  readonly proved: VerifiedBundle | VerifiedClaim;
  readonly key_was_given: boolean;
}

/** Verifies a bundle or the proof of a claim; needs no database and no network. */
export async function verifyEvidence({ file, working_folder, key }: VerifyRequest): Promise<Outcome<Verified>> {
  const read = await readRegularFile(resolve(working_folder, file), EVIDENCE_BYTES_MAX);
  if (read.kind === 'unreadable') return refuse(problem('FILE_UNREADABLE', { found: 'file' }));
  if (read.kind !== 'text') return refuse(malformed(NO_TEXT[read.kind], ''));
  const proved = verifyText(read.text, key);
  return proved.ok ? succeed({ proved: proved.value, key_was_given: key !== undefined }) : proved;
}

/** Verifies the text of a bundle or of the proof of a claim. @param key of those who had to sign it */
export function verifyText(text: string, key: string | undefined): Outcome<Verified['proved']> {
  const wanted = key === undefined ? undefined : parseVerifierKey(key);
  if (key !== undefined && wanted === undefined) return refuse(problem('EVIDENCE_KEY_INVALID'));
  return (isLogProof(text) ? verifyClaim : verifyBundle)(text, wanted);
}

const NO_TEXT = {
  folder: 'it is a folder',
  no_file: 'it is no regular file',
  too_large: 'it is larger than any evidence',
  not_utf8: 'it is not UTF-8',
};
