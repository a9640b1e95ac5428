// Made by tools/generate-types.ts from schemas/tool-policy.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
export type HumanId = string;
export type Description = string;

/** The tools that may be called. Any other tool is neither offered nor called. */
export interface ToolPolicy {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** Tool ids. An ambient source or source_call node whose effect is not read_only is allowed under its own id. */
  readonly allow: readonly string[];
  /** Effect classes or tool ids that need a person's approval. Not supported yet: leave the list empty, since a workflow that makes such a call is refused with NOT_SUPPORTED_YET. */
  readonly require_approval: readonly string[];
  readonly budgets: {
    /** The longest that one call may take. */
    readonly max_runtime_ms: number;
    /** The largest answer of one call. */
    readonly max_result_bytes: number;
  };
}
