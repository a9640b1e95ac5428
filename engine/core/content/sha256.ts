import { createHash, hash } from 'node:crypto';

/** SHA-256 of a text's UTF-8, or of bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** SHA-256 of a text's UTF-8, or of bytes, as 32 bytes: for hashes that are hashed again. */
export function sha256Bytes(content: string | Uint8Array): Uint8Array {
  return hash('sha256', content, 'buffer');
}

/** The SHA-256 of a text in pieces. */
export interface OpenHash {
  add(piece: string): void;
  /** 64 hex digits; nothing can be added any more. */
  close(): string;
}

export function openSha256(): OpenHash {
  const open = createHash('sha256');
  return { add: (piece) => void open.update(piece), close: () => open.digest('hex') };
}
