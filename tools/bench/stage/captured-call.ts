import type { Json } from '../../../engine/contract/json.js';

/** A request as a toy service or the scripted model received it. */
export interface CapturedCall {
  readonly to: 'toy' | 'model';
  /** Of a toy's route; of a model, its base URL. */
  readonly url: string;
  /** `<world>~<mark>/turn-<n>/<command key>` */
  readonly client_request_id: string;
  readonly body: Json;
}

export type StageQuestion =
  | { readonly kind: 'take_calls' }
  | { readonly kind: 'speak'; readonly long_turn: number | null };

/** The stage's messages: first the addresses of its services, then an answer to each question. */
export type StageWord =
  | { readonly kind: 'variables'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'calls'; readonly calls: readonly CapturedCall[] };
