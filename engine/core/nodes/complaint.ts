import type { Origins } from '../prompt/origins.js';
import type { ModelContentDetail } from '../protocol/failure.js';

/** The fault of an answer, for the record and for the model. */
export interface Complaint {
  readonly detail: ModelContentDetail;
  readonly message: string;
  /** Of the message; left out where it quotes nobody but the author and the model. */
  readonly origins?: Origins;
  /** Nothing of the answer is worth keeping. */
  readonly from_scratch?: true;
}
