/** What kind of text is found. */
export const SEARCH_KINDS = ['narration', 'state', 'prompt', 'answer', 'result'] as const;

export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What is searched for. */
export interface SearchQuestion {
  /** Words, as PostgreSQL's `websearch_to_tsquery` takes them; left out, every text that the filters let through. */
  readonly words?: string;
  readonly kind?: SearchKind;
  readonly world_slug?: string;
  readonly turn?: number;
  readonly subject?: string;
  /** The label of a source. */
  readonly source?: string;
  /** The class with which a call, or else its attempt, failed. */
  readonly failure?: string;
}

/** A piece of a text around what was found. */
export interface SnippetPart {
  readonly text: string;
  /** Whether it is what was searched for. */
  readonly is_match: boolean;
}

/** A text that was found, and its place. */
export interface SearchHit {
  /** Names the text; the cursor of the hits after it. */
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
  /** How well it fits the words: how often and how near together they stand in a text of its length; 0 without words. */
  readonly rank: number;
}

/** Finds texts of attempts that have ended. */
export interface SearchReader {
  /** Prompts last, since they quote the others; the latest attempts first. */
  find(
    question: SearchQuestion,
    part: { readonly after?: string; readonly limit: number },
  ): Promise<readonly SearchHit[]>;
  /** All subjects, or all labels of sources, that texts have. It reads every text's row: for a question without an answer. */
  names(of: 'subject' | 'source', world_slug?: string): Promise<readonly string[]>;
  /**
   * Lets the texts of attempts that have ended since be found: the oldest of each world first.
   * @returns how many attempts it took in; fewer than `attempts_max` where none are left
   */
  catchUp(attempts_max: number): Promise<number>;
}
