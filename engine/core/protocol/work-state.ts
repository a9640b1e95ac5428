/** An attempt or a call, as far as its state follows from it. */
interface Work {
  readonly status: string;
  /** A driver holds the attempt. */
  readonly is_driven: boolean;
  /** Of calls: an earlier subject has changed what their subject had read. */
  readonly is_superseded?: boolean;
}

/** An attempt whose driver is gone is open, and nobody works at it or at its calls. */
export function isUndriven({ status, is_driven }: Work): boolean {
  return status === 'running' && !is_driven;
}

/** How an attempt or a call ended, or how far it is. */
export function stateOf(work: Work): string {
  if (work.is_superseded === true) return 'superseded';
  return isUndriven(work) ? 'driver gone' : work.status;
}
