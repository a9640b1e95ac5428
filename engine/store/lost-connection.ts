/** What a server says when it sends its clients away, by class or code: connection exceptions, and being shut down. */
const SENT_AWAY = /^(08|57P0[1-3])/;

/** What the driver says, without any code, of a connection that ended under it. */
const ENDED = /^Connection terminated|connection error and is not queryable|when trying to connect$/;

const WAYS = ['connect', 'read', 'write'];

/**
 * Why a statement could not be asked, where it is for want of the server: it is gone, or sends everybody away.
 * @returns undefined for everything that a server that is there has to say
 */
export function findLoss(error: unknown): string | undefined {
  // Several addresses of one host fail as one nameless error that holds the real ones.
  if (error instanceof AggregateError) return findLoss((error.errors as readonly unknown[])[0]);
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, message } = error as Error & { readonly code?: unknown; readonly syscall?: unknown };
  const isLost =
    (typeof code === 'string' && SENT_AWAY.test(code)) ||
    (typeof syscall === 'string' && WAYS.includes(syscall)) ||
    ENDED.test(message);
  return isLost ? message.replace(/\.$/, '') : undefined;
}
