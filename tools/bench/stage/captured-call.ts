import type { Json } from '../../../engine/contract/json.js';

/** A request as a toy service or the scripted model received it. */
export interface CapturedCall {
  readonly to: 'toy' | 'model';
  /** Of a toy's route; of a model, its base URL. */
  readonly url: string;
  /** `<world>/turn-<n>/<command key>` */
  readonly client_request_id: string;
  readonly body: Json;
}

/** What the stage is asked. */
export type StageQuestion =
  | { readonly kind: 'take_calls' }
  | { readonly kind: 'speak'; readonly long_turn: number | null };

/** What it says: once where its services are, then an answer to each question. */
export type StageWord =
  | { readonly kind: 'variables'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'calls'; readonly calls: readonly CapturedCall[] };
