import { setTimeout as wait } from 'node:timers/promises';
import { present } from '../../contract/present.js';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { formatCheckpoint } from '../../core/evidence/checkpoint.js';
import { type Hash, leafHash, rootOf, sameHash, splitHashes } from '../../core/evidence/merkle.js';
import { sealText } from '../../core/evidence/seal-text.js';
import { formatVerifierKey, signNote, type SigningKey } from '../../core/evidence/signed-note.js';
import type { Store } from '../../store/open-store.js';
import { type Archive, type Engine, whileReachable } from '../engine.js';
import { sealStatement } from '../ledger/read-ledger.js';
import { type Anchor, type Anchored, findAnchored, giveToAnchor } from './anchor.js';

/** What signs checkpoints, and what keeps them. */
export interface Signer {
  readonly key: SigningKey;
  readonly anchor: Anchor | undefined;
  /** The checkpoint that the anchor is known to have. */
  readonly anchored?: string;
}

/** A signed state of the log. */
export interface SignedLog {
  /** The signed note. */
  readonly checkpoint: string;
  readonly tree_size: number;
  /** For those who verify. */
  readonly key: string;
  /** Why the anchor has not taken it; absent where it has, and where there is none. */
  readonly unanchored?: Problem;
}

/** A signed state of the log, and what the database no longer has of it. */
export interface MadeCheckpoint extends SignedLog {
  /** Seals of which the log says otherwise than the database. */
  readonly missing: readonly MissingSeals[];
}

/** Seals of a world that are in the log, and in the database no longer, or otherwise. */
interface MissingSeals {
  readonly world_slug: string;
  readonly how: 'removed' | 'altered';
  readonly seals: number;
}

/** Signs the log, and says what the database no longer has of it. @returns a refusal where it is not signed */
export async function makeCheckpoint(archive: Archive, signer: Signer, now: number): Promise<Outcome<MadeCheckpoint>> {
  const signed = await signLog(archive, signer, now);
  return signed.ok ? succeed({ ...signed.value.made, missing: await listMissing(archive) }) : signed;
}

/**
 * Takes all seals into the log, signs its state, and gives it to the anchor.
 * @returns the hashes of all its leaves beside; a refusal where the log is no continuation of what was signed before: then
 * nothing is signed
 */
export async function signLog(
  { store }: Archive,
  { key, anchor, anchored }: Signer,
  now: number,
): Promise<Outcome<{ readonly made: SignedLog; readonly leaves: readonly Hash[] }>> {
  const found = anchor === undefined ? succeed(undefined) : await findAnchored(anchor, key);
  if (!found.ok) return found;
  let refused: Problem | undefined;
  let note = '';
  let leaves: readonly Hash[] = [];
  await store.log.grow((state) => {
    const { hashes, ...growth } = growLog(state, key, now);
    ({ note } = growth.signed);
    leaves = hashes;
    refused = findBreak(growth.signed.root, hashes, state.last, found.value);
    return refused === undefined ? growth : undefined;
  });
  if (refused !== undefined) return refuse(refused);
  const isKept = anchor === undefined || [found.value?.note, anchored].includes(note);
  const given = isKept ? succeed(undefined) : await giveToAnchor(anchor, note);
  const [unanchored] = given.ok ? [] : given.problems;
  const made = { checkpoint: note, tree_size: leaves.length, key: formatVerifierKey(key), ...present({ unanchored }) };
  return succeed({ made, leaves });
}

type LogState = Parameters<Parameters<Store['log']['grow']>[0]>[0];

function growLog({ leaves, unlogged }: LogState, key: SigningKey, now: number) {
  const added = unlogged.map((row) => {
    const seal = sealText(sealStatement(row));
    return { seal, leaf_hash: leafHash(seal) };
  });
  const hashes = [...splitHashes(leaves), ...added.map(({ leaf_hash }) => leaf_hash)];
  const [origin, size, root] = [key.name, hashes.length, rootOf(hashes)];
  const note = signNote(formatCheckpoint({ origin, size, root }), key);
  return {
    hashes,
    leaves: added,
    signed: { origin, tree_size: size, root, note },
    made_at: new Date(now).toISOString(),
  };
}

/** Why a log is no continuation of what was signed before. */
function findBreak(whole: Hash, hashes: readonly Hash[], last: LogState['last'], anchored: Anchored | undefined) {
  const before = [
    { where: 'at the anchor', checkpoint: anchored?.checkpoint },
    { where: 'in the database', checkpoint: last && { size: last.tree_size, root: last.root } },
  ];
  for (const { where, checkpoint } of before) {
    if (checkpoint === undefined) continue;
    const { size, root } = checkpoint;
    const found = size === hashes.length ? whole : rootOf(hashes.slice(0, size));
    if (size <= hashes.length && sameHash(found, root)) continue;
    const facts = { where, size, found: hashes.length };
    return problem('LOG_SHRUNK', facts, { details: facts });
  }
  return undefined;
}

async function listMissing({ store }: Archive): Promise<readonly MissingSeals[]> {
  const found = new Map<string, MissingSeals>();
  for (const { world_slug, is_gone } of await store.log.faulty()) {
    const how = is_gone ? 'removed' : 'altered';
    const name = `${how} ${world_slug}`;
    found.set(name, { world_slug, how, seals: (found.get(name)?.seals ?? 0) + 1 });
  }
  return [...found.values()];
}

/** How often `serve` makes a checkpoint, where an anchor keeps them. */
const EVERY_MS = 300_000;

/**
 * Makes a checkpoint now, and again and again until it is stopped.
 * @param onMade is told each checkpoint with a new seal, and each failure
 */
export async function keepCheckpointed(
  engine: Engine,
  signer: Signer,
  signal: AbortSignal,
  onMade: (made: Outcome<MadeCheckpoint>) => void,
): Promise<void> {
  let anchored: string | undefined;
  while (!signal.aborted) {
    const known = { ...signer, ...present({ anchored }) };
    const made = await whileReachable(engine, () => makeCheckpoint(engine, known, engine.runtime.clock.now()));
    const isNew = !made.ok || made.value.unanchored !== undefined || made.value.checkpoint !== anchored;
    if (isNew) onMade(made);
    if (made.ok && made.value.unanchored === undefined) anchored = made.value.checkpoint;
    await wait(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
