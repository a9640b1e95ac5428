import { byKind, content, environment } from './entry.js';

const BY_ITS_MAKER = 'Ask its maker for the file as it was made, and believe nothing of this one.';
const KEYS = 'Ask the operator of the database for its key, which chukwa checkpoint prints.';
const LOST =
  'The database is older than its last checkpoint, such as after a back-up was restored: bring the newer state back. If it is lost for good, sign with a new key from now on, in another file.';

/** Why files prove nothing, and why no checkpoint is made. */
export const EVIDENCE_PROBLEMS = {
  EVIDENCE_MALFORMED: content({
    meaning: 'The file is no bundle and no proof, or is cut.',
    message: ({ reason }) => `The file is no whole evidence: ${reason}.`,
    repair: BY_ITS_MAKER,
    example: { reason: 'it ends too soon' },
  }),
  EVIDENCE_OF_ANOTHER_KEY: content({
    meaning: 'Another key signed the file than the one asked for.',
    message: ({ wanted, found }) => `The file is not signed by ${wanted}, but says that it is by ${found}.`,
    repair: KEYS,
    example: { wanted: 'chukwa/5f1c+0a1b2c3d+AW...', found: 'chukwa/77aa+99887766+AX...' },
  }),
  EVIDENCE_SIGNATURE_WRONG: content({
    meaning: "The signature is not the key's for this text.",
    message: ({ key }) => `A signature is not the one that ${key} makes for this text.`,
    repair: BY_ITS_MAKER,
    example: { key: 'chukwa/5f1c+0a1b2c3d+AW...' },
  }),
  EVIDENCE_NOT_IN_LOG: content(
    'The proof does not lead from this seal to the root that the checkpoint has.',
    BY_ITS_MAKER,
  ),
  EVIDENCE_ALTERED: content({
    meaning: 'A part was altered, removed, inserted or reordered.',
    ...byKind(
      {
        seals: ['The seals are not those whose list was signed.', BY_ITS_MAKER],
        order: ['The seal does not continue the one before it.', BY_ITS_MAKER],
        leaves: ['The hashes of the entries do not give the root of their seal.', BY_ITS_MAKER],
        entry: ['The entry is not the one that was sealed in this place.', BY_ITS_MAKER],
        count: ['There are more or fewer entries than were sealed.', BY_ITS_MAKER],
        presence: [
          'The signed list says otherwise whether the file has the entries of this seal, or they are gone.',
          BY_ITS_MAKER,
        ],
        material: ['No sealed entry has the hash of this text.', BY_ITS_MAKER],
      },
      { kind: 'entry' },
    ),
  }),
  EVIDENCE_UNPROVEN: content({
    meaning: 'What the proof holds does not show what it claims.',
    message: ({ reason }) => `The proof does not show its claim: ${reason}.`,
    repair: BY_ITS_MAKER,
    example: { reason: 'the patch changes nothing of crumb' },
  }),
  EVIDENCE_KEY_INVALID: content(
    'This is no verifier key: NAME+ID+KEY, of the type Ed25519.',
    'Copy the whole line that chukwa checkpoint prints.',
  ),
  NOT_SEALED: content({
    meaning: 'No attempt has ended, so there is nothing to prove.',
    message: ({ what }) => `${what} has no seal: one is made when an attempt ends.`,
    repair: 'Ask again when it has ended. Attempts of earlier versions have no seal.',
    example: { what: 'The attempt 0198c0de-0000-7000-8000-000000000001' },
  }),
  NOTHING_TO_PROVE: content({
    meaning: 'No committed patch has changed the entity.',
    message: ({ world_slug, entity_id }) => `No patch has changed the state of ${entity_id} in ${world_slug}.`,
    repair: 'Name an entity that a turn has changed. See: chukwa world history SLUG --entity ID',
    example: { world_slug: 'park', entity_id: 'crumb' },
  }),
  RECORD_UNSEALED: content({
    meaning: 'The record is not what was sealed, so nothing is proved of it.',
    message: ({ attempt_id, seal_seq }) => `The record of attempt ${attempt_id} is not what seal ${seal_seq} sealed.`,
    repair: 'Run chukwa verify on the attempt: it names what was changed.',
    example: { attempt_id: 'ID', seal_seq: 2 },
  }),
  LOG_SHRUNK: content({
    meaning: 'The log of seals does not continue an earlier checkpoint.',
    message: ({ where, size, found }) =>
      found < size
        ? `The last checkpoint ${where} has ${size} seals, and the log of this database only ${found}. No other is made.`
        : `The first ${size} seals of the log are not those of the last checkpoint ${where}. No other is made.`,
    repair: LOST,
    example: { where: 'in anchor.txt', size: 12, found: 9 },
  }),
  ANCHOR_FAILED: environment({
    meaning: 'The checkpoint was kept, and CHUKWA_ANCHOR did not take it.',
    message: ({ reason }) => `The checkpoint is kept here, and was not anchored: ${reason}.`,
    repair: 'Repair what CHUKWA_ANCHOR names. Nothing is lost: the next checkpoint covers what this one does.',
    example: { reason: 'its command ended with 1' },
  }),
  SIGNING_KEY_UNUSABLE: environment({
    meaning: 'The signing key cannot be used.',
    message: ({ reason }) => `Checkpoints cannot be signed: ${reason}.`,
    repair:
      'Name a file by CHUKWA_SIGNING_KEY that belongs to this user and nobody else may read (mode 0600): an Ed25519 key as PEM. A missing one is made.',
    example: { reason: 'others may read .chukwa/signing-key.pem' },
  }),
};
