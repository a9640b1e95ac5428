import { content, unknown } from './entry.js';

/** An entry of a ledger, in words, and the sound entry before it. */
export interface NamedEntry {
  readonly attempt_id: string;
  /** Such as `LLM_CALL LED-1a2b3c4d (bob/act/round-1/try-1)`. */
  readonly entry: string;
  /** Null at the beginning. */
  readonly after: string | null;
}

const RESTORE =
  'No command of the program changes what has ended: find out who can write to the database, and restore a copy that verifies.';

const behind = (after: string | null): string => (after === null ? 'at the beginning' : `after ${after}`);

const NO_EXPORT = {
  unreadable: 'is missing, or cannot be read',
  folder: 'is a folder',
  no_file: 'is no regular file',
  too_large: 'is larger than 500 MiB',
};

/** The faults of a sealed record, and of look-ups in it. */
export const LEDGER_PROBLEMS = {
  ENTRY_ALTERED: content<NamedEntry>({
    meaning: 'A row was changed after it had been sealed.',
    message: ({ attempt_id, entry }) => `${entry} of attempt ${attempt_id} is not as it was sealed.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'LLM_CALL LED-1a2b3c4d', after: 'WO_EXECUTING LED-5e6f7a8b' },
  }),
  ENTRY_REMOVED: content<NamedEntry>({
    meaning: 'A sealed entry is gone, or no longer stands there.',
    message: ({ attempt_id, after }) =>
      `An entry of attempt ${attempt_id} that was sealed ${behind(after)} is gone, or no longer stands there.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'WO_COMPLETED LED-1a2b3c4d', after: 'WO_EXECUTING LED-5e6f7a8b' },
  }),
  ENTRY_INSERTED: content<NamedEntry>({
    message: ({ attempt_id, entry }) => `${entry} of attempt ${attempt_id} was not there when it was sealed.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'TOOL_CALL LED-1a2b3c4d', after: 'WO_EXECUTING LED-5e6f7a8b' },
  }),
  ENTRIES_REORDERED: content<NamedEntry>({
    meaning: 'An entry stands where another was sealed.',
    message: ({ attempt_id, entry, after }) =>
      `${entry} of attempt ${attempt_id} stands ${behind(after)}, where another entry was sealed.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'LLM_CALL LED-1a2b3c4d', after: 'WO_EXECUTING LED-5e6f7a8b' },
  }),
  LEDGER_CUT_OFF: content<NamedEntry>({
    meaning: 'The ledger ends early.',
    message: ({ attempt_id, after }) => `The ledger of attempt ${attempt_id} ends ${behind(after)}: more was sealed.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'nothing', after: 'WO_EXECUTING LED-5e6f7a8b' },
  }),
  CONTENT_ALTERED: content<{
    readonly attempt_id: string;
    readonly entry: string;
    readonly of: 'prompt' | 'origins' | 'schema' | 'request';
  }>({
    meaning: 'A text behind a sealed hash, or the origins of its pieces, were changed.',
    message: ({ attempt_id, entry, of }) =>
      of === 'origins'
        ? `The origins of pieces of the prompt of ${entry} of attempt ${attempt_id} are not those with which it was sent.`
        : `The ${of} of ${entry} of attempt ${attempt_id} is not what was sent.`,
    repair: RESTORE,
    example: { attempt_id: 'ID', entry: 'LLM_CALL LED-1a2b3c4d', of: 'prompt' },
  }),
  VALUE_NOT_OF_PATCH: content<{ readonly world_slug: string; readonly turn: number; readonly place: string }>({
    meaning: 'The world holds a value that no patch and no scenario left.',
    message: ({ world_slug, turn, place }) =>
      `What ${world_slug} holds of ${place} from turn ${turn} on is not what a patch or the scenario left.`,
    repair: RESTORE,
    example: { world_slug: 'park', turn: 2, place: 'bob' },
  }),
  ATTEMPT_REOPENED: content<{ readonly attempt_id: string }>({
    message: ({ attempt_id }) => `The attempt ${attempt_id} is open, though it was sealed or its turn is there.`,
    repair: RESTORE,
    example: { attempt_id: 'ID' },
  }),
  TURN_NOT_OF_ATTEMPT: content<{
    readonly world_slug: string;
    readonly turn: number;
    readonly of: 'turn' | 'scenario';
  }>({
    meaning: 'Turns, attempts and scenarios do not fit together.',
    message: ({ world_slug, turn, of }) =>
      of === 'turn'
        ? `Turn ${turn} of ${world_slug} is missing, or is not the one that an attempt committed.`
        : `The scenario of turn ${turn} of ${world_slug} is not the one that its attempt had.`,
    repair: RESTORE,
    example: { world_slug: 'park', turn: 2, of: 'turn' },
  }),
  DOCUMENT_ALTERED: content<{ readonly kind: string; readonly hash: string }>({
    message: ({ kind, hash }) => `The ${kind} ${hash} is not what its hash was made of.`,
    repair: RESTORE,
    example: { kind: 'scenario', hash: '0a1b…' },
  }),
  ORDER_UNKNOWN: unknown<{ readonly id: string; readonly is_whole: boolean }>({
    message: ({ id, is_whole }) =>
      is_whole ? `There is no work order ${id}.` : `${id} is not the id of a work order, such as WO-SES-0A1B2C3D-001.`,
    repair: 'chukwa orders ATTEMPT lists those of an attempt.',
    example: { id: 'WO-SES-0A1B2C3D-001', is_whole: true },
  }),
  TRAVERSAL_INVALID: content<{ readonly pattern: string; readonly patterns: readonly string[] }>({
    message: ({ pattern, patterns }) =>
      patterns.includes(pattern)
        ? `The traversal ${pattern} starts from something, and nothing is named.`
        : `There is no traversal ${pattern}.`,
    repair: ({ patterns }) => `Name one of ${patterns.join(', ')}, and with "of" the id that it starts from.`,
    example: { pattern: 'causes', patterns: ['causal_chain', 'chain_scope'] },
  }),
  NOT_AN_EXPORT: content<{ readonly folder: string; readonly file: string; readonly found: keyof typeof NO_EXPORT }>({
    message: ({ folder, file, found }) => `${folder} is no export of a ledger: ${file} ${NO_EXPORT[found]}.`,
    repair: 'Name a folder that chukwa ledger export has written.',
    example: { folder: 'park-ledger', file: 'seals.jsonl', found: 'unreadable' },
  }),
  SEAL_MISSING: content<{ readonly attempt_id: string }>({
    meaning: 'The attempt ended before seals were kept, or its seal was removed.',
    message: ({ attempt_id }) => `The attempt ${attempt_id} has ended, and no seal is there.`,
    repair: RESTORE,
    example: { attempt_id: 'ID' },
  }),
  SEAL_BROKEN: content<{ readonly world_slug: string; readonly seal_seq: number; readonly why: string }>({
    message: ({ world_slug, seal_seq, why }) => `Seal ${seal_seq} of ${world_slug} ${why}.`,
    repair: RESTORE,
    example: { world_slug: 'park', seal_seq: 2, why: 'does not name the seal before it' },
  }),
};
