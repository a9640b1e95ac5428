// Made by tools/generate-types.ts from schemas/prices.schema.json: do not edit, run `npm run generate`.
/** For the editor only; dropped before hashing. */
export type SchemaUrl = string;
export type Usd = number;

/** An operator's prices of models, in the file that `CHUKWA_PRICES` names. The last entry that fits a call's model, endpoint and time applies, else the prices that ship. */
export interface Prices {
  readonly $schema?: SchemaUrl;
  readonly version: 1;
  readonly models: readonly PricedModel[];
}
export interface PricedModel {
  /** As requests name it; a `*` at its end stands for any end. */
  readonly model: string;
  /** Scheme, host and port of its server; any where it is left out. */
  readonly endpoint?: string;
  /** The first day, in UTC. */
  readonly from?: string;
  readonly usd_per_million_tokens: UsdPerMillionTokens;
  /** The prices of calls with more input tokens than that. */
  readonly above?: readonly Tier[];
}
export interface UsdPerMillionTokens {
  readonly input: Usd;
  readonly output: Usd;
  /** Of input that was read from a cache; as `input` where it is left out. */
  readonly cached_input?: number;
  /** Of input that was written to a cache; as `input` where it is left out. */
  readonly cache_written_input?: number;
}
export interface Tier {
  readonly input_tokens: number;
  readonly usd_per_million_tokens: UsdPerMillionTokens;
}
