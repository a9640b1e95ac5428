import type { Json } from '../../contract/json.js';
import { problem, type Outcome, type Problem, refuse, succeed } from '../../contract/problem.js';
import { sha256 } from '../content/sha256.js';
import { decodeBase64, encodeBase64 } from './base64.js';
import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { parseExactJson } from './exact-json.js';
import { listMaterial, type NamedMaterial, promptHash, type PromptMessage } from './material.js';
import { isIncluded, leafHash, rootOf, toHex } from './merkle.js';
import { parseSeal, sealRoot, type SealStatement } from './seal-text.js';
import { findMisshapen, type Shape } from './shape.js';
import { formatVerifierKey, parseVerifierKey, type VerifierKey, verifyNote } from './signed-note.js';

export const BUNDLE_FORMAT = 'chukwa evidence 2';

/** What proves an attempt or a world to those who have nothing else. */
export interface Bundle {
  readonly format: string;
  /** The verifier key of the log. */
  readonly key: string;
  /** The signed state of the log. */
  readonly checkpoint: string;
  /** The signed list of the seals, so that none can be left out or emptied unseen. */
  readonly contents: string;
  readonly seals: readonly BundledSeal[];
  readonly prompts: readonly (readonly PromptMessage[])[];
  /** Answers and patches. */
  readonly texts: readonly string[];
}

export interface BundledSeal {
  /** The leaf of the log. */
  readonly seal: string;
  /** Its place in the log, from 0 on. */
  readonly index: number;
  /** From the leaf to the root of the checkpoint: hashes in base64. */
  readonly proof: readonly string[];
  /** The hash of each entry, in base64; left out, as the entries are, where the world was removed. */
  readonly leaves?: readonly string[];
  readonly entries?: readonly string[];
}

/** A message of a prompt has its content, or the hash of it. */
export const MESSAGES: Shape = [{ role: 'text', 'content?': 'text', 'content_hash?': 'text' }];

const SHAPE: Shape = {
  format: 'text',
  key: 'text',
  checkpoint: 'text',
  contents: 'text',
  seals: [{ seal: 'text', index: 'count', proof: ['text'], 'leaves?': ['text'], 'entries?': ['text'] }],
  prompts: [MESSAGES],
  texts: ['text'],
};

export interface VerifiedBundle {
  readonly world_slug: string;
  /** Left out where it is the bundle of a world. */
  readonly attempt_id?: string;
  readonly key: string;
  readonly checkpoint: Checkpoint;
  readonly seals: number;
  readonly entries: number;
  /** Seals without entries: the world was removed from its database. */
  readonly removed: number;
  /** How many texts it shows, and of how many it has the hash alone. */
  readonly revealed: number;
  readonly hidden: number;
}

/** What the signed list says of the bundle. */
interface Contents extends Pick<VerifiedBundle, 'world_slug' | 'attempt_id'> {
  /** A digit for each seal: 1 where the bundle has its entries, 0 where they are gone. */
  readonly has_entries: string;
}

/** The text that lists the seals of a bundle, to be signed. */
export function contentsText(
  { world_slug, attempt_id, has_entries }: Contents,
  seals: readonly Pick<BundledSeal, 'seal'>[],
): string {
  const about = attempt_id === undefined ? `world ${world_slug}` : `world ${world_slug} attempt ${attempt_id}`;
  const root = encodeBase64(rootOf(seals.map(({ seal }) => leafHash(seal))));
  return `${BUNDLE_FORMAT}\n${about}\n${seals.length}\n${root}\nentries ${has_entries}\n`;
}

/** Which seals have their entries beside them: a digit for each. */
export function listPresence(seals: readonly Pick<BundledSeal, 'entries'>[]): string {
  return seals.map(({ entries }) => (entries === undefined ? '0' : '1')).join('');
}

/**
 * Verifies a bundle with nothing else.
 * @param text the file
 * @param wanted the key that has to have signed it; the file's own where it is left out
 * @returns what it proves, or the first part that proves nothing
 */
export function verifyBundle(text: string, wanted?: VerifierKey): Outcome<VerifiedBundle> {
  const parsed = parseExactJson(text);
  if (!parsed.ok) return refuse(malformed(`it ${parsed.fault.reason}`, parsed.fault.pointer ?? ''));
  const misshapen = findMisshapen(parsed.value, SHAPE);
  if (misshapen !== undefined) return refuse(malformed('a part is missing, unknown or of another kind', misshapen));
  const bundle = parsed.value as unknown as Bundle;
  if (bundle.format !== BUNDLE_FORMAT) return refuse(malformed(`its format is not ${BUNDLE_FORMAT}`, '/format'));
  const opened = openCheckpoint(bundle, wanted);
  if (!opened.ok) return opened;
  const { key, checkpoint } = opened.value;
  const seals: SealStatement[] = [];
  for (const [index, bundled] of bundle.seals.entries()) {
    const seal = parseSeal(bundled.seal);
    if (seal === undefined) return refuse(malformed('this is no seal', `/seals/${index}/seal`));
    seals.push(seal);
  }
  const contents = openContents(bundle, key, seals);
  if (!contents.ok) return contents;
  const { has_entries, ...about } = contents.value;
  const isWhole = about.attempt_id === undefined;
  const wrong = findWrongSeal(bundle, checkpoint, seals, isWhole) ?? findWrongEntry(bundle, seals, has_entries);
  if (wrong !== undefined) return refuse(wrong);
  const entries = bundle.seals.flatMap((sealed) => sealed.entries ?? []);
  const material = readMaterial(bundle, entries);
  if (!material.ok) return material;
  return succeed({
    ...about,
    key: bundle.key,
    checkpoint,
    seals: seals.length,
    entries: entries.length,
    removed: bundle.seals.filter((sealed) => sealed.entries === undefined).length,
    ...material.value,
  });
}

/** The key and the checkpoint of a file, if the key has signed it. */
export function openCheckpoint(
  { key: named, checkpoint: note }: { readonly key: string; readonly checkpoint: string },
  wanted: VerifierKey | undefined,
): Outcome<{ readonly key: VerifierKey; readonly checkpoint: Checkpoint }> {
  const key = parseVerifierKey(named);
  if (key === undefined) return refuse(malformed('this is no verifier key', '/key'));
  if (wanted !== undefined && formatVerifierKey(wanted) !== named)
    return refuse(
      problem('EVIDENCE_OF_ANOTHER_KEY', { wanted: formatVerifierKey(wanted), found: named }, { pointer: '/key' }),
    );
  const opened = openNote(note, key, '/checkpoint');
  if (!opened.ok) return opened;
  const checkpoint = parseCheckpoint(opened.value);
  if (checkpoint?.origin !== key.name) return refuse(malformed('this is no checkpoint of the key', '/checkpoint'));
  return succeed({ key, checkpoint });
}

function openNote(note: string, key: VerifierKey, pointer: string): Outcome<string> {
  const verdict = verifyNote(note, key);
  const named = formatVerifierKey(key);
  if (verdict.kind === 'signed') return succeed(verdict.text);
  if (verdict.kind === 'malformed') return refuse(malformed('this is no signed note', pointer));
  return refuse(problem('EVIDENCE_SIGNATURE_WRONG', { key: named }, { pointer }));
}

const CONTENTS =
  /^[^\n]+\nworld ([a-z0-9]+(?:[_-][a-z0-9]+)*)(?: attempt ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\n\d+\n[^\n]+\nentries ([01]*)\n$/;

/** What the signed list says, if the seals of the bundle are those that it lists. */
function openContents(bundle: Bundle, key: VerifierKey, seals: readonly SealStatement[]): Outcome<Contents> {
  const opened = openNote(bundle.contents, key, '/contents');
  if (!opened.ok) return opened;
  const [, world_slug, attempt_id, has_entries] = CONTENTS.exec(opened.value) ?? [];
  if (world_slug === undefined || has_entries === undefined)
    return refuse(malformed('this is no list of seals', '/contents'));
  const contents = { world_slug, ...(attempt_id === undefined ? {} : { attempt_id }), has_entries };
  const isOfIt = seals.every(
    (seal) => seal.world_slug === world_slug && (attempt_id === undefined || seal.attempt_id === attempt_id),
  );
  const isListed = opened.value === contentsText(contents, bundle.seals) && has_entries.length === seals.length;
  if (!isListed || !isOfIt || seals.length === 0)
    return refuse(problem('EVIDENCE_ALTERED', { kind: 'seals' }, { pointer: '/seals' }));
  return succeed(contents);
}

/** Each seal stands in the log, and after those before it. */
function findWrongSeal(
  { seals: bundled }: Bundle,
  { size, root }: Checkpoint,
  seals: readonly SealStatement[],
  isWhole: boolean,
): Problem | undefined {
  for (const [position, { seal, index, proof }] of bundled.entries()) {
    const pointer = `/seals/${position}`;
    const hashes = proof.map(decodeBase64).filter((hash) => hash !== undefined);
    const inclusion = { leaf: leafHash(seal), index, size, proof: hashes };
    if (hashes.length !== proof.length || !isIncluded(inclusion, root))
      return problem('EVIDENCE_NOT_IN_LOG', undefined, { pointer });
    if (!continues(seals[position - 1], seals[position] as SealStatement, isWhole))
      return problem('EVIDENCE_ALTERED', { kind: 'order' }, { pointer });
  }
  return undefined;
}

/**
 * Whether a seal may come after another. A world begins again where it was removed and got a namesake; between the seals of
 * one attempt there may be others.
 */
function continues(before: SealStatement | undefined, seal: SealStatement, isWhole: boolean): boolean {
  if (seal.seal_seq === 1) return seal.previous_root === '' && (before === undefined || isWhole);
  if (seal.seal_seq === (before?.seal_seq ?? 0) + 1) return seal.previous_root === before?.root;
  return !isWhole && seal.seal_seq > (before?.seal_seq ?? 0);
}

/** The entries are those that their seal counts, in its order; none where the signed list says that they are gone. */
function findWrongEntry(
  { seals: bundled }: Bundle,
  seals: readonly SealStatement[],
  has_entries: string,
): Problem | undefined {
  for (const [position, { leaves, entries }] of bundled.entries()) {
    const pointer = `/seals/${position}`;
    const isGone = has_entries[position] === '0';
    if (isGone && leaves === undefined && entries === undefined) continue;
    if (isGone || entries === undefined)
      return problem('EVIDENCE_ALTERED', { kind: 'presence' }, { pointer: `${pointer}/entries` });
    const hashes = (leaves ?? []).map(decodeBase64).filter((hash) => hash !== undefined);
    const seal = seals[position] as SealStatement;
    const { root, entries: count } = seal;
    if (hashes.length !== leaves?.length || hashes.length !== count || toHex(sealRoot(seal, rootOf(hashes))) !== root)
      return problem('EVIDENCE_ALTERED', { kind: 'leaves' }, { pointer: `${pointer}/leaves` });
    const differing = entries.findIndex((entry, at) => leaves[at] !== encodeBase64(leafHash(entry)));
    if (differing !== -1)
      return problem('EVIDENCE_ALTERED', { kind: 'entry' }, { pointer: `${pointer}/entries/${differing}` });
    if (entries.length !== count)
      return problem('EVIDENCE_ALTERED', { kind: 'count' }, { pointer: `${pointer}/entries` });
  }
  return undefined;
}

/** Each text is one that an entry names by its hash. */
function readMaterial(
  bundle: Bundle,
  entries: readonly string[],
): Outcome<Pick<VerifiedBundle, 'revealed' | 'hidden'>> {
  const named = listMaterial(entries.map((entry) => readEntry(entry) ?? null));
  const altered = (pointer: string) => refuse(problem('EVIDENCE_ALTERED', { kind: 'material' }, { pointer }));
  const prompt = bundle.prompts.findIndex((messages) => !isPrompt(messages, named));
  if (prompt !== -1) return altered(`/prompts/${prompt}`);
  const hashes = bundle.texts.map((text) => sha256(text));
  const stray = hashes.findIndex((hash) => !named.answers.has(hash) && !named.patches.has(hash));
  if (stray !== -1) return altered(`/texts/${stray}`);
  const shown = new Set([...hashes, ...bundle.prompts.filter(isShown).map(promptHash)]);
  const all = new Set([...named.prompts, ...named.answers, ...named.patches]);
  return succeed({ revealed: shown.size, hidden: all.size - shown.size });
}

function isPrompt(messages: readonly PromptMessage[], named: NamedMaterial): boolean {
  return messages.every(isOneOrOther) && named.prompts.has(promptHash(messages));
}

/** Both a content and a hash would leave open which of them counts. */
export function isOneOrOther(message: PromptMessage): boolean {
  return 'content' in message !== 'content_hash' in message;
}

function isShown(messages: readonly PromptMessage[]): boolean {
  return messages.every((message) => 'content' in message);
}

/** An entry of a ledger as a value; undefined where the text is no exact JSON. */
export function readEntry(text: string): Json | undefined {
  const parsed = parseExactJson(text);
  return parsed.ok ? parsed.value : undefined;
}

export function malformed(reason: string, pointer: string): Problem {
  return problem('EVIDENCE_MALFORMED', { reason }, { pointer });
}
