import type { ModelContentDetail } from '../protocol/failure.js';

/** The fault of an answer, for the record and for the model. */
export interface Complaint {
  readonly detail: ModelContentDetail;
  readonly message: string;
  /** Nothing of the answer is worth keeping. */
  readonly from_scratch?: true;
}
