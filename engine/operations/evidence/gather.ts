import { type Outcome, problem, type Problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { canonicalText } from '../../core/content/canonical.js';
import { findAt } from '../../core/content/json-pointer.js';
import { sha256 } from '../../core/content/sha256.js';
import { isUuid } from '../../core/content/uuid.js';
import { encodeBase64 } from '../../core/evidence/base64.js';
import {
  type Bundle,
  BUNDLE_FORMAT,
  type BundledSeal,
  contentsText,
  listPresence,
  readEntry,
} from '../../core/evidence/bundle.js';
import { formatClaim, isOfClaim, proveEntries } from '../../core/evidence/claim.js';
import { hideMessages, listMaterial, type PromptMessage } from '../../core/evidence/material.js';
import { type Hash, leafHash, proveInclusion, sameHash, splitHashes } from '../../core/evidence/merkle.js';
import { parseSeal, type SealStatement } from '../../core/evidence/seal-text.js';
import { formatVerifierKey, signNote } from '../../core/evidence/signed-note.js';
import { entryText } from '../../core/ledger/write-ledger.js';
import type { Store } from '../../store/open-store.js';
import type { Archive } from '../engine.js';
import { showEntity } from '../worlds/entities.js';
import { entriesOf, type Plans, readPlanned } from '../ledger/read-ledger.js';
import { verifyWorld } from '../ledger/verify.js';
import { attemptUnknown, showInvocation, showLlmCall } from '../browse/records.js';
import { unknownWorld } from '../worlds/worlds.js';
import { type SignedLog, type Signer, signLog } from './checkpoint.js';

/** What can be left out of a file: its hash stays. */
export const MATERIALS = ['prompts', 'answers', 'patches'] as const;

/** A file of evidence, and the checkpoint in it. */
export interface Gathered {
  readonly text: string;
  readonly made: SignedLog;
}

interface Wanted {
  /** Some of the materials. */
  readonly redact: readonly string[];
  readonly now: number;
}

/** A misspelt material would be shown. */
function checkRedact(redact: readonly string[]): Outcome<undefined> {
  const unknown = redact.find((name) => !MATERIALS.some((known) => known === name));
  if (unknown === undefined) return succeed(undefined);
  const repair = `Name some of ${MATERIALS.join(', ')}.`;
  return refuse(problem('USAGE', { message: `${unknown} cannot be left out.`, repair }));
}

/**
 * Gathers the evidence of an attempt or a world.
 * @param named an attempt's id, or a world's name, also of a world that was removed
 */
export async function gatherBundle(
  archive: Archive,
  signer: Signer,
  { named, ...wanted }: Wanted & { readonly named: string },
): Promise<Outcome<Gathered>> {
  const known = checkRedact(wanted.redact);
  const about = known.ok ? await findSubject(archive, named) : known;
  if (!about.ok) return about;
  const { world_slug } = about.value;
  return orFirstAlteration(archive, world_slug, () => gatherSeals(archive, signer, { ...wanted, about: about.value }));
}

interface Subject {
  readonly world_slug: string;
  /** Left out of a world. */
  readonly attempt_id?: string;
}

async function gatherSeals(
  archive: Archive,
  signer: Signer,
  { about, redact, now }: Wanted & { readonly about: Subject },
): Promise<Outcome<Gathered>> {
  const log = await signLog(archive, signer, now);
  if (!log.ok) return log;
  const rows = await archive.store.log.seals(about);
  if (rows.length === 0) return refuseUnsealed(archive, about);
  const plans: Plans = new Map();
  const seals: BundledSeal[] = [];
  for (const attempt of groupByAttempt(rows)) {
    const sealed = await readSealed(archive, attempt, plans);
    if (!sealed.ok) return sealed;
    for (const [index, { seal, log_index, leaf_hashes }] of attempt.entries())
      seals.push({
        seal,
        index: log_index,
        proof: proveInclusion(log.value.leaves, log_index).map(encodeBase64),
        ...(leaf_hashes === null
          ? {}
          : { leaves: splitHashes(leaf_hashes).map(encodeBase64), entries: sealed.value[index] ?? [] }),
      });
  }
  const ordered = seals.toSorted((one, other) => one.index - other.index);
  const material = await readMaterial(archive, ordered, redact);
  const { key } = signer;
  const bundle: Bundle = {
    format: BUNDLE_FORMAT,
    key: formatVerifierKey(key),
    checkpoint: log.value.made.checkpoint,
    contents: signNote(contentsText({ ...about, has_entries: listPresence(ordered) }, ordered), key),
    seals: ordered,
    ...material,
  };
  const text = `${JSON.stringify(bundle, null, 1)}\n`;
  return succeed({ text, made: log.value.made });
}

type LoggedSeal = Awaited<ReturnType<Store['log']['seals']>>[number];

/** What an id or a name means, also where nothing but the log has it any more. */
async function findSubject({ store }: Archive, named: string): Promise<Outcome<Subject>> {
  if (!isUuid(named)) return succeed({ world_slug: named });
  const attempt = await store.facts.attempt(named);
  return attempt === undefined
    ? refuse(attemptUnknown(named))
    : succeed({ world_slug: attempt.world_slug, attempt_id: attempt.attempt_id });
}

async function refuseUnsealed(archive: Archive, { world_slug, attempt_id }: Subject): Promise<Refused> {
  if (!(await archive.store.ledger.hasWorld(world_slug))) return unknownWorld(archive, world_slug);
  const what = attempt_id === undefined ? `The world ${world_slug}` : `The attempt ${attempt_id}`;
  return refuse(problem('NOT_SEALED', { what }));
}

/** Where nothing can be gathered because of what somebody has altered, the refusal names the first alteration. */
async function orFirstAlteration<Value>(
  archive: Archive,
  world_slug: string,
  gather: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const name = async (): Promise<Refused | undefined> => {
    const verified = await verifyWorld(archive, world_slug);
    const first = verified.ok ? verified.value.findings[0] : undefined;
    return first && refuse({ code: first.code as Problem['code'], message: first.message, repair: first.repair });
  };
  try {
    const gathered = await gather();
    const isLost = !gathered.ok && gathered.problems.some(({ code }) => code === 'WORLD_UNKNOWN');
    return isLost ? ((await name()) ?? gathered) : gathered;
  } catch (error) {
    const altered = await name();
    if (altered === undefined) throw error;
    return altered;
  }
}

function groupByAttempt(rows: readonly LoggedSeal[]): readonly (readonly LoggedSeal[])[] {
  return [...new Set(rows.map(({ attempt_id }) => attempt_id))].map((attempt_id) =>
    rows.filter((row) => row.attempt_id === attempt_id),
  );
}

/**
 * The entries of each seal of an attempt, as its record yields them.
 * @returns a refusal where they are not what was sealed; none for a seal whose world was removed
 */
async function readSealed(
  archive: Archive,
  seals: readonly LoggedSeal[],
  plans: Plans,
): Promise<Outcome<readonly (readonly string[])[]>> {
  const [first] = seals;
  if (first === undefined || seals.every(({ leaf_hashes }) => leaf_hashes === null)) return succeed([]);
  const planned = await readPlanned(archive, first.attempt_id, plans);
  if (!planned.ok) return planned;
  const texts = entriesOf(planned.value).map(entryText);
  const sealed: string[][] = [];
  let from = 0;
  for (const { leaf_hashes, attempt_id, seal_seq } of seals) {
    const leaves = splitHashes(leaf_hashes ?? new Uint8Array());
    const entries = texts.slice(from, from + leaves.length);
    const isSound = leaves.every((leaf, index) => isLeafOf(leaf, entries[index]));
    if (!isSound) return refuse(problem('RECORD_UNSEALED', { attempt_id, seal_seq }, { details: { attempt_id } }));
    sealed.push(entries);
    from += leaves.length;
  }
  return succeed(sealed);
}

function isLeafOf(leaf: Hash, entry: string | undefined): boolean {
  return entry !== undefined && sameHash(leaf, leafHash(entry));
}

/** The texts that entries name, as far as anybody may see them, and nobody wants them left out. */
async function readMaterial(archive: Archive, seals: readonly BundledSeal[], redact: Wanted['redact']) {
  const entries = seals.flatMap((seal) => seal.entries ?? []).map((entry) => readEntry(entry) ?? null);
  const named = listMaterial(entries);
  const prompts: (readonly PromptMessage[])[] = [];
  const texts = new Map<string, string>();
  for (const id of new Set(entries.map((entry) => findAt(entry, ['details', 'source_invocation_id'])))) {
    const call = typeof id === 'string' ? await readCall(archive, id) : undefined;
    if (call?.prompt !== undefined) prompts.push(call.prompt);
    if (call?.answer !== undefined) texts.set(sha256(call.answer), call.answer);
  }
  const patches = (await Promise.all(seals.map(({ seal }) => readPatches(archive, parseSeal(seal))))).flat();
  const answers = [...texts].filter(([hash]) => named.answers.has(hash)).map(([, text]) => text);
  return {
    prompts: redact.includes('prompts') ? prompts.map(hideMessages) : prompts,
    texts: [...(redact.includes('answers') ? [] : answers), ...(redact.includes('patches') ? [] : patches)],
  };
}

/** The prompt and the answer of a call. What redaction hides in an answer stays hidden: its hash is another then. */
async function readCall(archive: Archive, id: string) {
  const call = await showInvocation(archive, id);
  if (!call.ok) return undefined;
  const { llm_call_id, response_json } = call.value;
  if (llm_call_id === null) return { answer: response_json === null ? undefined : canonicalText(response_json) };
  const generation = await showLlmCall(archive, llm_call_id);
  if (!generation.ok) return undefined;
  const { messages, raw_text } = generation.value;
  return { prompt: messages.map(({ role, content }): PromptMessage => ({ role, content })), answer: raw_text };
}

async function readPatches({ store }: Archive, seal: SealStatement | undefined): Promise<readonly string[]> {
  // A settlement has no patches of its own.
  if (seal === undefined || seal.source_invocation_id !== '') return [];
  return store.log.patches(seal);
}

type Claimed = Wanted & { readonly world_slug: string; readonly entity_id: string; readonly turn?: number };

/** Gathers the proof of one claim: that an entity was given the state that it has, by which patch, from which prompt. */
export async function gatherClaim(archive: Archive, signer: Signer, claimed: Claimed): Promise<Outcome<Gathered>> {
  const known = checkRedact(claimed.redact);
  if (!known.ok) return known;
  return orFirstAlteration(archive, claimed.world_slug, () => gatherState(archive, signer, claimed));
}

async function gatherState(
  archive: Archive,
  signer: Signer,
  { redact, now, ...place }: Claimed,
): Promise<Outcome<Gathered>> {
  const shown = await showEntity(archive, place);
  if (!shown.ok) return shown;
  const { world_slug, id: entity_id, turn: until } = shown.value;
  const change = await findChange(archive, { world_slug, entity_id, until });
  if (change === undefined) return refuse(problem('NOTHING_TO_PROVE', { world_slug, entity_id }));
  const log = await signLog(archive, signer, now);
  if (!log.ok) return log;
  const { attempt_id, source_invocation_id, patch_seq } = change;
  const seals = await archive.store.log.seals({ world_slug: change.world_slug, attempt_id });
  const [end] = seals;
  if (end === undefined) return refuse(problem('NOT_SEALED', { what: `The attempt ${attempt_id}` }));
  const sealed = await readSealed(archive, seals.slice(0, 1), new Map());
  if (!sealed.ok) return sealed;
  const call = await readCall(archive, source_invocation_id);
  const { prompt = [], answer } = call ?? {};
  const material = {
    key: formatVerifierKey(signer.key),
    seal: end.seal,
    entity_id,
    entries: proveEntries(sealed.value[0] ?? [], isOfClaim(source_invocation_id)),
    prompt: redact.includes('prompts') ? hideMessages(prompt) : prompt,
    ...(answer === undefined || redact.includes('answers') ? {} : { answer }),
    patch: (await readPatches(archive, parseSeal(end.seal)))[patch_seq - 1] ?? '',
  };
  const { made, leaves } = log.value;
  const place_in_log = {
    index: end.log_index,
    proof: proveInclusion(leaves, end.log_index),
    checkpoint: made.checkpoint,
  };
  const text = formatClaim(material, place_in_log);
  return succeed({ text, made });
}

/** How many turns are looked through, the latest first: most entities have changed in few. */
const SPANS = [8, 128, Infinity];

/** The last change of an entity's state up to a turn. */
async function findChange(
  { store }: Archive,
  { world_slug, entity_id, until }: { readonly world_slug: string; readonly entity_id: string; readonly until: number },
) {
  for (const span of SPANS) {
    const part = { entity_id, until, after: Math.max(0, until - span), of_state: true, limit: 1 };
    const [change] = await store.worlds.entityEffects(world_slug, part);
    if (change !== undefined) return change;
  }
  return undefined;
}
