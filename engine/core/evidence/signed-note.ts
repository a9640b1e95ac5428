import { isSignedBy, isSoundKey } from '../content/ed25519.js';
import { sha256Bytes } from '../content/sha256.js';
import { decodeBase64, encodeBase64 } from './base64.js';

// Signed notes, as C2SP signed-note v1.0.0 defines them, with Ed25519 alone.

/** A key that verifies notes, and the name under which it signs. */
export interface VerifierKey {
  readonly name: string;
  /** 32 bytes. */
  readonly public_key: Uint8Array;
}

/** A key that signs: its private part stays with who made it. */
export interface SigningKey extends VerifierKey {
  sign(message: Uint8Array): Uint8Array;
}

const ED25519 = 1;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The specification asks for 16 at least. */
const SIGNATURES_MAX = 64;

/** SHA-256(name || 0x0A || 0x01 || public key), the first four bytes. */
function keyId({ name, public_key }: VerifierKey): Uint8Array {
  return sha256Bytes(Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), public_key])).slice(0, 4);
}

/** A verifier key as people hand it on: `name+id+key`. */
export function formatVerifierKey(key: VerifierKey): string {
  const typed = Buffer.concat([Buffer.from([ED25519]), key.public_key]);
  return `${key.name}+${Buffer.from(keyId(key)).toString('hex')}+${encodeBase64(typed)}`;
}

/** The key of such a text; undefined where it is none, is of another type, is not sound, or has another key's id. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  const [name = '', , ...rest] = text.split('+');
  const typed = decodeBase64(rest.join('+'));
  if (!isKeyName(name) || typed?.length !== KEY_BYTES + 1 || typed[0] !== ED25519) return undefined;
  const key: VerifierKey = { name, public_key: typed.slice(1) };
  return isSoundKey(key.public_key) && formatVerifierKey(key) === text ? key : undefined;
}

/**
 * The note of a text, with one signature.
 * @throws RangeError where the text cannot be a note's: it has to end in a line feed, and to hold no other control character
 */
export function signNote(text: string, key: SigningKey): string {
  if (!isNoteText(text)) throw new RangeError('not the text of a note');
  const signature = Buffer.concat([keyId(key), key.sign(Buffer.from(text))]);
  return `${text}\n— ${key.name} ${encodeBase64(signature)}\n`;
}

/** What a note says before anybody has verified it. */
interface ParsedNote {
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: Uint8Array; readonly signature: Uint8Array }[];
}

/** What the key has to do with a note. */
type NoteVerdict =
  | { readonly kind: 'signed'; readonly text: string }
  /** It is no note. */
  | { readonly kind: 'malformed' }
  /** No signature names the key. */
  | { readonly kind: 'other_key' }
  /** A signature names the key, and is not the key's over this text. */
  | { readonly kind: 'bad_signature' };

/** Verifies a note by one key. Signatures of other keys are passed over. */
export function verifyNote(note: string, key: VerifierKey): NoteVerdict {
  const parsed = parseNote(note);
  if (parsed === undefined) return { kind: 'malformed' };
  const id = Buffer.from(keyId(key));
  const own = parsed.signatures.filter((one) => one.name === key.name && id.equals(one.id));
  if (own.length === 0) return { kind: 'other_key' };
  const message = Buffer.from(parsed.text);
  const isSigned = own.every(
    ({ signature }) => signature.length === SIGNATURE_BYTES && isSignedBy(key.public_key, message, signature),
  );
  return isSigned ? { kind: 'signed', text: parsed.text } : { kind: 'bad_signature' };
}

function parseNote(note: string): ParsedNote | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !isNoteText(note)) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map(parseSignature).filter((one) => one !== undefined);
  if (signatures.length !== lines.length || lines.length > SIGNATURES_MAX) return undefined;
  return { text: note.slice(0, end + 1), signatures };
}

function parseSignature(line: string): ParsedNote['signatures'][number] | undefined {
  const [dash, name = '', encoded = '', ...more] = line.split(' ');
  const bytes = decodeBase64(encoded);
  if (dash !== '—' || !isKeyName(name) || more.length > 0 || bytes === undefined || bytes.length < 5) return undefined;
  return { name, id: bytes.slice(0, 4), signature: bytes.slice(4) };
}

function isKeyName(name: string): boolean {
  return name !== '' && !/[+\p{White_Space}]/u.test(name);
}

function isNoteText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a note may not hold.
  return text.endsWith('\n') && !/[\u0000-\u0009\u000b-\u001f]/.test(text) && text.isWellFormed();
}
