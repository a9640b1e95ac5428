// Made by tools/generate-types.ts from schemas/tool-policy.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores; at most 64 characters. */
export type HumanId = string;
export type Description = string;
/**
 * known: the value is a constant of the arguments' schema, the id of an entity that the subject is shown, or a whole word of a text that the author, the scenario or a person wrote. unknown: it is none of these. An argument that holds several values meets known, one_of and below with all of them; unknown, none_of and at_least with one.
 *
 * This interface was referenced by `undefined`'s JSON-Schema definition
 * via the `patternProperty` "^(/([^/~]|~[01])*)+$".
 */
export type Condition =
  | ('known' | 'unknown')
  | {
      /** It is one of these values. */
      readonly one_of: readonly (string | number | boolean | null)[];
    }
  | {
      /** It is none of these values. */
      readonly none_of: readonly (string | number | boolean | null)[];
    }
  | {
      /** It is a number below this one. */
      readonly below: number;
    }
  | {
      /** It is this number, a greater one, or no number. */
      readonly at_least: number;
    };

/** The tools that may be called, and under which conditions. Any other tool is neither offered nor called. */
export interface ToolPolicy {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** Tool ids. An ambient source or source_call node whose effect is not read_only is allowed under its own id. */
  readonly allow: readonly string[];
  /** Effect classes or tool ids of allowed calls that need a person's approval: the turn is suspended until somebody decides. */
  readonly require_approval: readonly string[];
  /** How long a person may take to decide on a call; 7 days by default, at most 366. After that the model is told that nobody has decided. */
  readonly approval_deadline_ms?: number;
  /** Further rules. Every rule that matches a call counts: deny over require_approval over allow. A call that no rule matches is denied. */
  readonly rules?: readonly Rule[];
  readonly budgets: {
    /** The longest that one call may take. */
    readonly max_runtime_ms: number;
    /** The largest answer of one call. */
    readonly max_result_bytes: number;
  };
}
/** Matches a call where each of its members does; without members it matches every call. */
export interface Rule {
  /** Tool ids, or ids of an ambient source or source_call node whose effect is not read_only. */
  readonly tools?: readonly string[];
  /** Effect classes of the call. */
  readonly effects?: readonly ('read_only' | 'state_change' | 'external_side_effect')[];
  /** Labels of the sources that are called. */
  readonly sources?: readonly HumanId[];
  /** Entity ids of the agents for whom the call is made. */
  readonly subjects?: readonly string[];
  /** Conditions on arguments, by JSON Pointer; the token * means every item and every member. A condition on an argument that the call leaves out never holds. */
  readonly arguments?: {
    readonly [k: string]: Condition;
  };
  /** Origins of the arguments: those of known arguments, and for others of all that the model's generation saw. A rule that allows matches where every origin is listed, any other where one is. source:* means every source. */
  readonly origins?: readonly string[];
  /** What the rule decides. require_approval permits a call once a person has approved it. */
  readonly decide: 'allow' | 'deny' | 'require_approval';
  /** The reason, for the model, for people and for the record. */
  readonly because?: string;
}
