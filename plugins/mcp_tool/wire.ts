import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { SourceFailure } from 'chukwa/plugin';

/** A connection to a server: the transport of the client library, and its faults. */
export interface Wire {
  readonly transport: Transport;
  /** The reason why the connection is broken. */
  readonly broken: () => SourceFailure | undefined;
  /** The reason why one request has no answer, where the library got that message in the server's place. */
  readonly lost: (error: unknown) => SourceFailure | undefined;
  /** Whether the server named this session, so that it can report that the session is unknown. */
  readonly names_session: () => boolean;
  /** Whether a call that was cut leaves a doubt that the server still listens. */
  readonly can_hang: boolean;
  /** Reads what the server says, until the function that it returns is called. Between calls a server may have to wait. */
  listen(): () => void;
  /** Raises the size limit to that of a call's results. */
  allow(max_result_bytes: number): void;
  /** Releases the server's resources for it, and closes it. */
  close(): Promise<void>;
}

export function isSourceFailure(thrown: unknown): thrown is SourceFailure {
  return typeof thrown === 'object' && thrown !== null && 'source_failure' in thrown;
}
