/** The document kinds that are stored, by content address. */
export const COMPONENT_KINDS = [
  'json_schema',
  'prompt_text',
  'response_source',
  'cognition_workflow',
  'cognition_profile',
  'tool_policy',
  'scenario',
] as const;

export type ComponentKind = (typeof COMPONENT_KINDS)[number];

/** Names a stored document. */
export interface ComponentReference {
  readonly kind: ComponentKind;
  /** SHA-256 of the canonical form, 64 hex digits. */
  readonly hash: string;
}
