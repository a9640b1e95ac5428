import { content, unknown, usage } from './entry.js';
import { meant } from './phrases.js';

export interface NotStored {
  readonly digits: string;
  /** A document of another kind with these digits. */
  readonly other?: { readonly kind: string; readonly hash: string } | undefined;
}

function notStored(kind: string) {
  return unknown({
    meaning: 'No document of this kind and hash is stored.',
    message: ({ digits }: NotStored) => `There is no ${kind} ${digits}.`,
    repair: ({ other }) =>
      other === undefined
        ? `See chukwa list ${kind}, or store it first: chukwa put PATH`
        : `There is one of another kind: ${other.kind} ${other.hash}`,
    example: { digits: '3f1a90b2' },
  });
}

export interface Ambiguous {
  readonly kind: string;
  readonly digits: string;
  readonly candidates: readonly string[];
}

/** Look-ups of stored documents. */
export const COMPONENT_PROBLEMS = {
  COMPONENT_KIND_UNKNOWN: usage({
    meaning: 'There is no such kind of document.',
    message: ({ kind }: UnknownKind) => `There is no kind of document ${JSON.stringify(kind)}.`,
    repair: ({ nearest, kinds }) => `${meant(nearest)}Kinds: ${kinds.join(', ')}.`,
    example: { kind: 'senario', nearest: 'scenario', kinds: ['json_schema', 'scenario'] },
  }),
  COMPONENT_HASH_INVALID: content({
    meaning: 'The argument is not a hash, nor the beginning of one.',
    message: ({ hash }: { readonly hash: string; readonly length: number; readonly length_min: number }) =>
      `${JSON.stringify(hash)} is not the hash of a document.`,
    repair: ({ length, length_min }) =>
      `Write its ${length} hex digits, or at least the first ${length_min}. See chukwa list KIND.`,
    example: { hash: '3f1', length: 64, length_min: 8 },
  }),
  COMPONENT_AMBIGUOUS: content({
    meaning: 'Several hashes begin with these digits.',
    message: ({ kind, digits }: Ambiguous) => `More than one ${kind} begins with ${digits}.`,
    repair: ({ candidates }) => `Write more digits. Candidates: ${candidates.join(', ')}.`,
    example: { kind: 'scenario', digits: '3f1a90b2', candidates: ['3f1a90b2c1...', '3f1a90b2d4...'] },
  }),
  UNKNOWN_JSON_SCHEMA: notStored('json_schema'),
  UNKNOWN_RESPONSE_SOURCE: notStored('response_source'),
  UNKNOWN_COGNITION_WORKFLOW: notStored('cognition_workflow'),
  UNKNOWN_COGNITION_PROFILE: notStored('cognition_profile'),
  UNKNOWN_PROMPT_TEXT: notStored('prompt_text'),
  UNKNOWN_TOOL_POLICY: notStored('tool_policy'),
  UNKNOWN_SCENARIO: notStored('scenario'),
};

export interface UnknownKind {
  readonly kind: string;
  readonly nearest: string | undefined;
  readonly kinds: readonly string[];
}
