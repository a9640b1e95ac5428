/** An attempt or a call, as far as its state follows from it. */
interface Work {
  readonly status: string;
  /** A driver holds the attempt. */
  readonly is_driven: boolean;
  /** Of calls: an earlier subject has changed their subject's inputs. */
  readonly is_superseded?: boolean;
}

/** An attempt whose driver is gone is open, and none of its calls is being made. */
export function isUndriven({ status, is_driven }: Work): boolean {
  return status === 'running' && !is_driven;
}

/** How an attempt or a call ended, or how far it is. */
export function stateOf(work: Work): string {
  if (work.is_superseded === true) return 'superseded';
  return isUndriven(work) ? 'driver gone' : work.status;
}
