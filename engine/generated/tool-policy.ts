// Made by tools/generate-types.ts from schemas/tool-policy.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
/** Lower-case letters and digits, joined by single hyphens or underscores. */
export type HumanId = string;
export type Description = string;
/**
 * "known": a constant of the arguments' schema, the id of an entity that the subject is shown, or a whole word of a text by the author, the scenario or a person; "unknown": none of these. An argument with several values meets known, one_of and below with all of them, unknown, none_of and at_least with one.
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

/** The tools that may be called, and when. No other is offered or called. */
export interface ToolPolicy {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly label: HumanId;
  readonly description?: Description;
  /** Tool ids, and ids of ambient sources and source_call nodes whose effect is not read_only. */
  readonly allow: readonly string[];
  /** Effect classes or ids of allowed calls that need a person's approval; the turn is suspended until then. */
  readonly require_approval: readonly string[];
  /** How long a person may take; 7 days by default, at most 366. Then the model is told that nobody has decided. */
  readonly approval_deadline_ms?: number;
  /** Further rules. Of all that match a call, deny counts before require_approval, and that before allow. A call that none matches is denied. */
  readonly rules?: readonly Rule[];
  readonly budgets: {
    /** The longest that one call may take. */
    readonly max_runtime_ms: number;
    /** The largest answer of one call. */
    readonly max_result_bytes: number;
  };
}
/** Matches a call where each of its members does. */
export interface Rule {
  /** Ids as in allow. */
  readonly tools?: readonly string[];
  /** Effect classes of the call. */
  readonly effects?: readonly ('read_only' | 'state_change' | 'external_side_effect')[];
  /** Labels of the sources that are called. */
  readonly sources?: readonly HumanId[];
  /** Entity ids of the agents for whom the call is made. */
  readonly subjects?: readonly string[];
  /** Conditions on arguments, by JSON Pointer in which * is every item and member. A condition on an absent argument never holds. */
  readonly arguments?: {
    readonly [k: string]: Condition;
  };
  /** Origins of the arguments: of known ones their own, of others those of all that the model was shown. A rule that allows matches where every origin is listed, any other where one is. source:* is every source. */
  readonly origins?: readonly string[];
  /** require_approval allows the call once a person has approved it. */
  readonly decide: 'allow' | 'deny' | 'require_approval';
  /** The reason, which the model and people are told. */
  readonly because?: string;
}
