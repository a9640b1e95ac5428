import { canonicalText } from '../../core/content/canonical.js';
import type { BeginAttempt, BeginOutcome, Holder, AttemptOfTurn } from '../../ports/attempts.js';
import { toIdleHeads, turnEpochsOf } from '../state-heads.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { AT_PLACE, CONTENTS, type ContentsRow, toWindow, toWorld } from '../world-snapshot.js';
import { continueAttempt } from './continue-attempt.js';
import { beginAfter, type Free } from './begin-after.js';
import { ASKS, BEGUN_FOR } from '../inbox/turn-message.js';
import { leaseEnd } from './fence.js';
import { calling } from './suspend-attempt.js';

/** Whether the driver that a lease names still drives its attempt. */
type IsDriven = (holder: Holder, attempt_id: string) => boolean;

// One statement claims the lease of a free world without an open attempt, calls to adopt or calls in doubt, opens the
// attempt and reads the world's contents. The lock comes before the epoch changes, as fences require. While it waits
// for the lock another driver may commit a turn, whose rows this statement does not see yet, though it gets the world's
// new row: then `place` is empty, and the statement is repeated. A message that asks for the attempt is claimed with
// the world or not at all.
const CLAIM_FREE = prepare(
  'claim_free_world',
  `WITH seen AS (SELECT turn, lease_epoch FROM worlds WHERE world_slug = :world_slug),
   locked AS (
     SELECT world_slug, turn, scenario_hash, lease_epoch + 1 AS epoch, request_mark FROM worlds
     WHERE world_slug = :world_slug AND lease_attempt_id IS NULL AND adoptable_attempt_id IS NULL
       AND scenario_hash = :scenario_hash AND turn < coalesce(:until_turn::bigint, turn + 1) AND NOT EXISTS (
         SELECT FROM attempts WHERE world_slug = :world_slug AND status IN ('running', 'suspended'))
     FOR UPDATE),
   free AS (
     SELECT locked.* FROM locked JOIN seen ON seen.turn = locked.turn AND seen.lease_epoch = locked.epoch - 1),
   message AS (
     UPDATE agent_inbox ${BEGUN_FOR}
     FROM free
     WHERE ${ASKS}
     RETURNING inbox_id),
   place AS (
     SELECT free.*, inbox_id FROM free LEFT JOIN message ON true
     WHERE :inbox_id::uuid IS NULL OR inbox_id IS NOT NULL),
   attempt AS (
     INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
       plugin_versions, holder_host, holder_pid, inbox_id, started_at)
     SELECT world_slug, :attempt_id::uuid, turn + 1, epoch, scenario_hash, :renderer_version, :plugin_versions::json,
       :host, :pid::int, inbox_id, :started_at::timestamptz
     FROM place),
   lease AS (
     UPDATE worlds SET lease_epoch = place.epoch, lease_attempt_id = :attempt_id::uuid, lease_host = :host,
       lease_pid = :pid::int, lease_until = ${leaseEnd('lease_ms')}
     FROM place WHERE worlds.world_slug = place.world_slug),
   ${AT_PLACE}
   SELECT turn, epoch, request_mark, ${turnEpochsOf('place')} AS turn_epochs, ${CONTENTS} FROM place`,
);

interface ClaimedWorld extends ContentsRow {
  readonly turn: number;
  readonly epoch: number;
  readonly request_mark: string;
  readonly turn_epochs: Readonly<Record<string, number>> | null;
}

/**
 * Claims a world's lease with the next epoch, unless a living driver has it, and reads the world. An attempt that an
 * earlier driver left open is resumed. A free world costs one statement.
 */
export async function beginAttempt(
  database: Pick<OpenDatabase, 'query' | 'pool'>,
  request: BeginAttempt,
  isDriven: IsDriven,
): Promise<BeginOutcome> {
  let sets_aside: Pick<Free, 'sets_aside'> = {};
  for (;;) {
    const [taken] = request.continues_only
      ? []
      : await run<ClaimedWorld>(database, CLAIM_FREE, { ...toClaim(request), ...toWindow(request) });
    if (taken) return { ...toBegun(request, taken), ...sets_aside };
    const outcome = await inTransaction(database.pool, (client) => claimLeft(client, request, isDriven));
    if (outcome.kind !== 'free') return outcome;
    if (outcome.sets_aside) sets_aside = { sets_aside: outcome.sets_aside };
  }
}

/** The parameters that write a new attempt and its lease. */
export function toClaim(request: BeginAttempt) {
  return {
    world_slug: request.world_slug,
    scenario_hash: request.scenario_hash,
    attempt_id: request.attempt_id,
    renderer_version: request.renderer_version,
    plugin_versions: canonicalText(request.plugin_versions),
    host: request.holder.host,
    pid: request.holder.pid,
    started_at: toTimestamp(request.started_at),
    lease_ms: request.lease_ms,
    inbox_id: request.inbox_id ?? null,
    until_turn: request.until_turn ?? null,
  };
}

function toBegun({ world_slug, attempt_id }: BeginAttempt, claimed: ClaimedWorld): BeginOutcome {
  const { turn, epoch, request_mark } = claimed;
  return {
    kind: 'begun',
    lease: { attempt_id, world_slug, attempted_turn: turn + 1, epoch, request_mark },
    world: toWorld(world_slug, turn, claimed),
    heads: toIdleHeads(claimed.turn_epochs),
  };
}

const LOCK_WORLD = prepare(
  'lock_world',
  `SELECT lease_attempt_id, lease_host, lease_pid, lease_until, lease_until > clock_timestamp() AS is_leased,
     adoptable_attempt_id, scenario_hash, turn
   FROM worlds WHERE world_slug = :world_slug FOR UPDATE`,
);

interface LockedWorld {
  readonly lease_attempt_id: string | null;
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_until: string | null;
  /** By the clock of the database, which all drivers share. */
  readonly is_leased: boolean | null;
  readonly adoptable_attempt_id: string | null;
  readonly scenario_hash: string;
  readonly turn: number;
}

// A statement of its own after the lock: it sees what others committed during the wait.
const FIND_OPEN = prepare(
  'find_open_attempt',
  `SELECT attempt_id, attempted_turn, status = 'suspended' AND NOT EXISTS (
       SELECT FROM agent_inbox WHERE ${calling('attempts')}) AS still_suspended
   FROM attempts WHERE world_slug = :world_slug AND status IN ('running', 'suspended')`,
);

interface OpenAttempt extends AttemptOfTurn {
  /** It is suspended, and has no message. */
  readonly still_suspended: boolean;
}

const FIND_ASKING = prepare('find_asking_message', `SELECT FROM agent_inbox WHERE ${ASKS}`);

/** Claims what was left in a world that is not driven. Demands a transaction. @returns `free` where nothing was */
async function claimLeft(transaction: Runner, request: BeginAttempt, isDriven: IsDriven): Promise<BeginOutcome | Free> {
  const { world_slug } = request;
  const [world] = await run<LockedWorld>(transaction, LOCK_WORLD, { world_slug });
  if (!world) return { kind: 'unknown_world' };
  if (world.scenario_hash !== request.scenario_hash) return { kind: 'other_scenario' };
  const hasCome = request.until_turn !== undefined && world.turn >= request.until_turn;
  if (hasCome || !(await isAskedFor(transaction, request))) return { kind: 'not_asked_for' };
  const held = findHolder(world, isDriven);
  if (held) return held;
  const [open] = await run<OpenAttempt>(transaction, FIND_OPEN, { world_slug });
  if (open?.still_suspended)
    return { kind: 'still_suspended', attempt_id: open.attempt_id, attempted_turn: open.attempted_turn };
  if (open) return continueAttempt(transaction, request, open.attempt_id);
  if (request.continues_only) return { kind: 'not_asked_for' };
  if (world.adoptable_attempt_id === null) return { kind: 'free' };
  return beginAfter(transaction, request, world.adoptable_attempt_id);
}

/** Whether the message that a turn is begun for, if there is one, asks for it still. */
async function isAskedFor(transaction: Runner, { world_slug, inbox_id }: BeginAttempt): Promise<boolean> {
  return inbox_id === undefined || (await run(transaction, FIND_ASKING, { world_slug, inbox_id })).length === 1;
}

function findHolder(world: LockedWorld, isDriven: IsDriven): Extract<BeginOutcome, { kind: 'held' }> | undefined {
  const { lease_attempt_id, lease_host, lease_pid, lease_until } = world;
  if (lease_attempt_id === null || lease_host === null || lease_pid === null || lease_until === null) return undefined;
  const holder = { host: lease_host, pid: lease_pid };
  if (world.is_leased !== true || !isDriven(holder, lease_attempt_id)) return undefined;
  return { kind: 'held', holder, attempt_id: lease_attempt_id, until: Date.parse(lease_until) };
}
