export const SEARCH_KINDS = ['narration', 'state', 'prompt', 'answer', 'result'] as const;

export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchQuestion {
  /** Words and beginnings of words, `"words side by side"`, `-excluded`, and `or`; without any, all texts that pass the filters. */
  readonly words?: string;
  readonly kind?: SearchKind;
  readonly world_slug?: string;
  readonly turn?: number;
  readonly subject?: string;
  /** The label of a source. */
  readonly source?: string;
  /** The failure class of the call, or else of its attempt. */
  readonly failure?: string;
}

/** A part of an excerpt. */
export interface SnippetPart {
  readonly text: string;
  /** Whether it matches. */
  readonly is_match: boolean;
}

/** A text that was found, and its place. */
export interface SearchHit {
  /** The id of the text, which is the cursor for later hits. */
  readonly entry: string;
  readonly kind: SearchKind;
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly turn: number;
  readonly workflow_subject_entity_id: string | null;
  readonly source_label: string | null;
  readonly failure_class: string | null;
  /** Of a narration or a state. */
  readonly patch_seq: number | null;
  readonly source_invocation_id: string | null;
  readonly llm_call_id: string | null;
  readonly snippet: readonly SnippetPart[];
  /** The rank of the match, from frequency and distance of the words in the text; 0 without words. */
  readonly rank: number;
}
