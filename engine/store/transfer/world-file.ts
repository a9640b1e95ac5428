import type { JsonObject } from '../../contract/json.js';
import { DEPTH_MAX } from '../../core/content/i-json.js';
import { type OpenHash, openSha256 } from '../../core/content/sha256.js';

// The file of exported worlds is JSON Lines: a head, a line for each row, and an end with the SHA-256 of all bytes before.

export const FORM_VERSION = 1;

/** The first line. */
export interface FileHead {
  readonly format: 'chukwa worlds';
  readonly version: number;
  /** The last migration of the database: it decides which tables and columns there are. */
  readonly migration: string;
  readonly worlds: readonly string[];
}

/** The last line. */
export interface FileEnd {
  readonly rows: number;
  readonly sha256: string;
}

/** The line of a row. Members that are absent are NULL. */
export interface FileRow {
  readonly table: string;
  readonly row: JsonObject;
}

/** Parses a line; undefined where it is no line of an export. */
export function parseLine(line: string): FileHead | FileRow | FileEnd | undefined {
  try {
    const value = JSON.parse(line) as Partial<FileHead & FileRow & FileEnd> | null;
    if (value?.format === 'chukwa worlds') return isHead(value) ? value : undefined;
    if (typeof value?.table === 'string' && isObject(value.row))
      return isDeeper(value.row, 2 * DEPTH_MAX) ? undefined : (value as FileRow);
    return typeof value?.rows === 'number' && typeof value.sha256 === 'string' ? (value as FileEnd) : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: Partial<FileHead>): value is FileHead {
  const { version, migration, worlds } = value;
  const isNamed = typeof version === 'number' && typeof migration === 'string' && Array.isArray(worlds);
  return isNamed && worlds.length > 0 && worlds.every((slug: unknown) => typeof slug === 'string');
}

/** A row holds values with a few levels around them. An embedded database does not survive text of any depth. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function isObject(row: unknown): boolean {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** The digest of a file that is written or read line by line. */
export function openDigest(): OpenHash {
  const hash = openSha256();
  return { add: (line) => hash.add(`${line}\n`), close: hash.close };
}
