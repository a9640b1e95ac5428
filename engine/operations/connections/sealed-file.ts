import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import type { FactsOf } from '../../contract/problems/index.js';
import { isObject } from '../../core/content/json-pointer.js';
import { findForeign } from '../authoring/own-files.js';
import { writeOwnFile } from '../write-files.js';

// The file is one JSON object of connections by id, sealed as a whole by AES-256-GCM under the operator's key. It is in the
// folder of this user, of mode 0600, and written anew under a fresh nonce.

/** The place of the file, and what opens it. */
export interface SealedPlace {
  readonly user_folder: string | undefined;
  /** 32 bytes, in hexadecimal or base64. */
  readonly key: string | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Another file under the same key is not taken for this one. */
const PURPOSE = Buffer.from('chukwa connections 1');

/** What the file holds; nothing where there is none. */
export async function readSealed(place: SealedPlace): Promise<Outcome<JsonObject>> {
  const file = fileOf(place);
  if (file === undefined) return succeed({});
  try {
    const foreign = await findForeign(file);
    if (foreign !== undefined) return unreadable({ kind: 'exposed', file });
    const key = readKey(place.key);
    if (key === undefined) return unreadable({ kind: place.key === undefined ? 'no_key' : 'bad_key' });
    const opened = unseal(await readFile(file, 'utf8'), key);
    return isObject(opened) ? succeed(opened) : unreadable({ kind: 'sealed', file });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return succeed({});
    return unreadable({ kind: 'sealed', file });
  }
}

/** Writes the file. Where it exists, it could be read before: another key replaces nothing. */
export async function writeSealed(place: SealedPlace, content: JsonObject): Promise<Outcome<undefined>> {
  const file = fileOf(place);
  if (file === undefined) return unreadable({ kind: 'no_place' });
  const key = readKey(place.key);
  if (key === undefined) return unreadable({ kind: place.key === undefined ? 'no_key' : 'bad_key' });
  return writeOwnFile(file, seal(JSON.stringify(content), key), { replaces: true });
}

function fileOf({ user_folder }: SealedPlace): string | undefined {
  return user_folder && join(user_folder, 'connections.sealed');
}

function seal(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(PURPOSE);
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${Buffer.concat(sealed).toString('base64')}\n`;
}

/** @throws Error where the key is another, or the file was changed */
function unseal(text: string, key: Buffer): Json {
  const whole = Buffer.from(text, 'base64');
  const decipher = createDecipheriv(CIPHER, key, whole.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(PURPOSE).setAuthTag(whole.subarray(-TAG_BYTES));
  const opened = [decipher.update(whole.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
  return JSON.parse(Buffer.concat(opened).toString('utf8')) as Json;
}

/** The key; undefined where it is no 32 bytes. */
function readKey(written = ''): Buffer | undefined {
  const key = Buffer.from(written, /^[0-9a-f]{64}$/i.test(written) ? 'hex' : 'base64');
  return key.length === 32 ? key : undefined;
}

function unreadable(facts: FactsOf<'CONNECTIONS_UNREADABLE'>): Refused {
  return refuse(problem('CONNECTIONS_UNREADABLE', facts));
}
