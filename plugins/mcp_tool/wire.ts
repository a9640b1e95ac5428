import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { SourceFailure } from 'chukwa/plugin';

/** A way to a server: what the client library speaks over, and what became of it. */
export interface Wire {
  readonly transport: Transport;
  /** Why nothing more comes over it. */
  readonly broken: () => SourceFailure | undefined;
  /** Why the answer to one request never came, where the library was told so in the server's place. */
  readonly lost: (error: unknown) => SourceFailure | undefined;
  /** Whether the server named this session, so that it can say that it knows it no more. */
  readonly names_session: () => boolean;
  /** Whether a call that was cut leaves a doubt that the server still listens. */
  readonly can_hang: boolean;
  /** A call may take results of this size. */
  allow(max_result_bytes: number): void;
  /** Gives back what the server holds for it, and ends it. */
  close(): Promise<void>;
}

export function isSourceFailure(thrown: unknown): thrown is SourceFailure {
  return typeof thrown === 'object' && thrown !== null && 'source_failure' in thrown;
}
