import { content, type Texts, unknown, usage } from './entry.js';
import { type KnownNames, meant } from './phrases.js';

function notStored(kind: string) {
  return unknown<{
    readonly digits: string;
    /** A document of another kind with these digits. */
    readonly other?: { readonly kind: string; readonly hash: string } | undefined;
  }>({
    meaning: 'No document of this kind and hash is stored.',
    message: ({ digits }) => `There is no ${kind} ${digits}.`,
    repair: ({ other }) =>
      other === undefined
        ? `See chukwa list ${kind}, or store it first: chukwa put PATH`
        : `There is one of another kind: ${other.kind} ${other.hash}`,
    example: { digits: '3f1a90b2' },
  });
}

/** Look-ups of stored documents. */
export const COMPONENT_PROBLEMS = {
  COMPONENT_KIND_UNKNOWN: usage<Texts<'kind'> & KnownNames>({
    message: ({ kind }) => `There is no kind of document ${JSON.stringify(kind)}.`,
    repair: ({ nearest, known }) => `${meant(nearest)}Kinds: ${known.join(', ')}.`,
    example: { kind: 'senario', nearest: 'scenario', known: ['json_schema', 'scenario'] },
  }),
  COMPONENT_HASH_INVALID: content({
    message: ({ hash }) => `${JSON.stringify(hash)} is not the hash of a document.`,
    repair: ({ length, length_min }) =>
      `Write its ${length} hex digits, or at least the first ${length_min}. See chukwa list KIND.`,
    example: { hash: '3f1', length: 64, length_min: 8 },
  }),
  COMPONENT_AMBIGUOUS: content({
    message: ({ kind, digits }) => `More than one ${kind} begins with ${digits}.`,
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
