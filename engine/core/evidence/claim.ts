import type { Json } from '../../contract/json.js';
import { type Outcome, problem, type Refused, refuse, succeed } from '../../contract/problem.js';
import { findAt, isList } from '../content/json-pointer.js';
import { sha256 } from '../content/sha256.js';
import { decodeBase64, encodeBase64 } from './base64.js';
import { parseExactJson } from './exact-json.js';
import { isOneOrOther, malformed, MESSAGES, openCheckpoint, readEntry } from './bundle.js';
import { type Checkpoint, formatLogProof, parseLogProof } from './checkpoint.js';
import { ANSWER_HASH, CONTEXT_HASH, listPatches, promptHash, type PromptMessage } from './material.js';
import { isIncluded, leafHash, proveInclusion, rootOfInclusion, toHex } from './merkle.js';
import { parseSeal } from './seal-text.js';
import { findMisshapen, type Shape } from './shape.js';
import type { VerifierKey } from './signed-note.js';

/** One claim: an entity was given this state, by this patch, by a model that was given this prompt. */
interface Claim {
  readonly world_slug: string;
  readonly turn: number;
  readonly entity_id: string;
  readonly state: string;
  readonly subject_id: string;
  readonly patch_seq: number;
  readonly patch_hash: string;
  readonly prompt_hash: string;
  /** Null where the model was one of an earlier attempt, whose answer this one adopted. */
  readonly model: string | null;
}

/** What a proof file of a claim holds beside the log's own proof. */
interface ClaimMaterial {
  readonly key: string;
  /** The leaf of the log. */
  readonly seal: string;
  readonly entity_id: string;
  /** The beginning of the attempt, the call of the model, and the end. */
  readonly entries: readonly ProvedEntry[];
  readonly prompt: readonly PromptMessage[];
  /** The text of the model; left out where it is not shown. */
  readonly answer?: string;
  readonly patch: string;
}

interface ProvedEntry {
  readonly index: number;
  readonly entry: string;
  /** From the entry to the root of its seal: hashes in base64. */
  readonly proof: readonly string[];
}

const SHAPE: Shape = {
  key: 'text',
  seal: 'text',
  entity_id: 'text',
  entries: [{ index: 'count', entry: 'text', proof: ['text'] }],
  prompt: MESSAGES,
  'answer?': 'text',
  patch: 'text',
};

export interface VerifiedClaim {
  readonly claim: Claim;
  readonly key: string;
  readonly checkpoint: Checkpoint;
}

/** The text of a proof file. @param log the place of the seal in the log, and the signed state of that log */
export function formatClaim(
  material: ClaimMaterial,
  log: { readonly index: number; readonly proof: readonly Uint8Array[]; readonly checkpoint: string },
): string {
  return formatLogProof({ ...log, extra: Buffer.from(JSON.stringify(material)) });
}

/** The entries of a seal that a claim needs, each with its proof. @param entries all entries of the seal */
export function proveEntries(entries: readonly string[], wanted: (entry: Json) => boolean): readonly ProvedEntry[] {
  const leaves = entries.map(leafHash);
  return entries.flatMap((entry, index) =>
    wanted(readEntry(entry) ?? null) ? [{ index, entry, proof: proveInclusion(leaves, index).map(encodeBase64) }] : [],
  );
}

/** Whether a claim about a patch of this generation needs an entry. */
export function isOfClaim(source_invocation_id: string) {
  return (entry: Json): boolean =>
    isEvent(entry, 'SESSION_BEGAN') ||
    isEvent(entry, 'SESSION_ENDED') ||
    (isEvent(entry, 'LLM_CALL') && findAt(entry, CALL_ID) === source_invocation_id);
}

const CALL_ID = ['details', 'source_invocation_id'];

/**
 * Verifies a proof file with nothing else.
 * @param text the file
 * @param wanted the key that has to have signed it; the file's own where it is left out
 * @returns what it proves, or the first part that proves nothing
 */
export function verifyClaim(text: string, wanted?: VerifierKey): Outcome<VerifiedClaim> {
  const log = parseLogProof(text);
  if (log === undefined) return refuse(malformed('it is no proof of a log, or only a part of one', ''));
  const parsed = parseExactJson(decodeUtf8(log.extra) ?? '');
  if (!parsed.ok) return refuse(malformed('its extra line is no JSON', ''));
  const misshapen = findMisshapen(parsed.value, SHAPE);
  if (misshapen !== undefined) return refuse(malformed('a part is missing, unknown or of another kind', misshapen));
  const material = parsed.value as unknown as ClaimMaterial;
  const opened = openCheckpoint({ key: material.key, checkpoint: log.checkpoint }, wanted);
  if (!opened.ok) return opened;
  const { checkpoint } = opened.value;
  const seal = parseSeal(material.seal);
  if (seal === undefined) return refuse(malformed('this is no seal', '/seal'));
  const place = { leaf: leafHash(material.seal), index: log.index, size: checkpoint.size, proof: log.proof };
  if (!isIncluded(place, checkpoint.root))
    return refuse(problem('EVIDENCE_NOT_IN_LOG', undefined, { pointer: '/seal' }));
  const altered = material.entries.findIndex((entry) => !isSealed(entry, seal.entries, seal.root));
  if (altered !== -1) return refuse(problem('EVIDENCE_ALTERED', { kind: 'entry' }, { pointer: `/entries/${altered}` }));
  const claim = readClaim(material);
  return claim.ok ? succeed({ claim: claim.value, key: material.key, checkpoint }) : claim;
}

function isSealed({ index, entry, proof }: ProvedEntry, size: number, root: string): boolean {
  const hashes = proof.map(decodeBase64).filter((hash) => hash !== undefined);
  const found = rootOfInclusion({ leaf: leafHash(entry), index, size, proof: hashes });
  return hashes.length === proof.length && found !== undefined && toHex(found) === root;
}

/** What the sealed entries and the texts say together. */
function readClaim({ entries, entity_id, prompt, answer, patch }: ClaimMaterial): Outcome<Claim> {
  const values = entries.map(({ entry }) => readEntry(entry) ?? null);
  const began = values.find((entry) => isEvent(entry, 'SESSION_BEGAN'));
  const taken = values.flatMap(listPatches).find((each) => findAt(each, ['patch_hash']) === sha256(patch));
  if (taken === undefined) return unproven('no sealed end of a turn names this patch', '/patch');
  const generation = textAt(taken, ['source_invocation_id']);
  if (generation === undefined) return unproven('the end of the turn names no call of this patch', '/patch');
  const call = values.find((entry) => isEvent(entry, 'LLM_CALL') && findAt(entry, CALL_ID) === generation);
  if (began === undefined || call === undefined)
    return unproven('the beginning of the attempt or the call of the model is missing', '/entries');
  const [world_slug, turn] = [textAt(began, ['details', 'world_slug']), countAt(began, ['details', 'attempted_turn'])];
  const [subject_id, patch_seq] = [textAt(taken, ['subject_id']), countAt(taken, ['patch_seq'])];
  if (world_slug === undefined || turn === undefined || subject_id === undefined || patch_seq === undefined)
    return unproven('the entries do not name the world, the turn, the subject and the patch', '/entries');
  if (!prompt.every(isOneOrOther) || findAt(call, CONTEXT_HASH) !== promptHash(prompt))
    return unproven('the call of the model names another prompt', '/prompt');
  if (answer !== undefined && findAt(call, ANSWER_HASH) !== sha256(answer))
    return unproven('the call of the model names another answer', '/answer');
  const state = stateAfter(patch, entity_id);
  if (state === undefined) return unproven(`the patch changes no state of ${entity_id}`, '/patch');
  return succeed({
    world_slug,
    turn,
    entity_id,
    state,
    subject_id,
    patch_seq,
    patch_hash: sha256(patch),
    prompt_hash: promptHash(prompt),
    model: textAt(call, ['metadata', 'context_fingerprint', 'model_id']) || null,
  });
}

/** The state that a patch leaves an entity in; undefined where it changes none. A memory replaces nothing. */
function stateAfter(patch: string, entity_id: string): string | undefined {
  const effects = findAt(readEntry(patch) ?? null, ['effects']);
  const own = (isList(effects) ? effects : []).findLast(
    (effect) => findAt(effect, ['entity_id']) === entity_id && findAt(effect, ['state_before']) !== undefined,
  );
  return textAt(own ?? null, ['state_after']);
}

function isEvent(entry: Json, event_type: string): boolean {
  return findAt(entry, ['event_type']) === event_type;
}

function textAt(value: Json, tokens: readonly string[]): string | undefined {
  const found = findAt(value, tokens);
  return typeof found === 'string' ? found : undefined;
}

function countAt(value: Json, tokens: readonly string[]): number | undefined {
  const found = findAt(value, tokens);
  return findMisshapen(found, 'count') === undefined ? Number(found) : undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function unproven(reason: string, pointer: string): Refused {
  return refuse(problem('EVIDENCE_UNPROVEN', { reason }, { pointer }));
}
