import type { Json } from '../../engine/contract/json.js';
import { type Helper, openHelper } from './helper.js';
import type { Variables } from './worlds.js';

/** A request as a toy service or the scripted model received it. */
export interface CapturedCall {
  readonly to: 'toy' | 'model';
  /** Of a toy's route; of a model, its base URL. */
  readonly url: string;
  /** `<world>~<mark>/turn-<n>/<command key>` */
  readonly client_request_id: string;
  readonly body: Json;
}

/** The toy services and the scripted model, in a process of their own: each question takes the calls since the last one. */
export interface Stage extends Helper<object, readonly CapturedCall[]> {
  /** Where the services are. */
  readonly first: Variables;
}

/** Does something with a stage. */
export async function withStage<Value>(task: (stage: Stage) => Promise<Value>): Promise<Value> {
  const helper = await openHelper<object, readonly CapturedCall[]>(new URL('./stage-process.js', import.meta.url));
  const stage = { ...helper, first: helper.first as Variables };
  try {
    return await task(stage);
  } finally {
    await stage.close();
  }
}
