import { sha256 } from './sha256.js';

/** A UUID (version 8) that follows from names: the same names always give the same one. */
export function namedUuid(...names: readonly string[]): string {
  const digits = sha256(JSON.stringify(names));
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) % 4);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
