import { canonicalText } from '../../core/content/canonical.js';
import type { BeginAttempt, BeginOutcome, Holder, Swept } from '../../ports/attempts.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { AT_PLACE, CONTENTS, type ContentsRow, toContents, toWorld } from '../world-snapshot.js';
import { leaseEnd } from './fence.js';
import { takeBack } from './sweep.js';

/** Whether the driver that a lease names still drives its attempt. */
export type IsDriven = (holder: Holder, attempt_id: string) => boolean;

/** The message that asks for the attempt, as long as it asks. */
const NOT_BEGUN = `agent_inbox.inbox_id = :inbox_id::uuid AND agent_inbox.attempt_id IS NULL
       AND agent_inbox.status IN ('pending', 'deferred')`;

// One statement takes a free world, opens the attempt and reads what the world holds. The lock comes before the epoch
// changes, as fences want it. While it waits for the lock another driver may commit a turn, whose rows this statement
// does not see yet, though it is handed the world's new row: then `place` is empty, and it is asked again.
// Where a message asks for the attempt, it is taken with the world or not at all.
const TAKE_FREE = prepare(
  'take_free_world',
  `WITH seen AS (SELECT turn FROM worlds WHERE world_slug = :world_slug),
   locked AS (
     SELECT world_slug, turn, scenario_hash, lease_epoch + 1 AS epoch FROM worlds
     WHERE world_slug = :world_slug AND lease_attempt_id IS NULL FOR UPDATE),
   free AS (SELECT locked.* FROM locked JOIN seen USING (turn)),
   message AS (
     UPDATE agent_inbox SET attempt_id = :attempt_id::uuid, next_retry_at = 'infinity'
     FROM free
     WHERE agent_inbox.world_slug = free.world_slug AND ${NOT_BEGUN}
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
   event AS (
     INSERT INTO attempt_timeline_events (world_slug, attempt_id, event_kind, occurred_at)
     SELECT world_slug, :attempt_id::uuid, 'attempt_began', :started_at::timestamptz FROM place),
   ${AT_PLACE}
   SELECT turn, epoch, ${CONTENTS} FROM place`,
);

interface Taken extends ContentsRow {
  readonly turn: number;
  readonly epoch: number;
}

/**
 * Takes a world's lease with the next epoch, unless a living driver has it; closes what a dead one left, and reads the
 * world. A free world costs one statement.
 */
export async function beginAttempt(
  database: Pick<OpenDatabase, 'query' | 'pool'>,
  request: BeginAttempt,
  isDriven: IsDriven,
): Promise<BeginOutcome> {
  const closed: Swept[] = [];
  for (;;) {
    const [taken] = await run<Taken>(database, TAKE_FREE, toTaking(request));
    if (taken) return toBegun(request, taken, closed);
    const obstacle = await inTransaction(database.pool, (client) => clearWorld(client, request, isDriven));
    if (obstacle.kind !== 'cleared') return obstacle;
    closed.push(...obstacle.closed);
  }
}

function toTaking(request: BeginAttempt) {
  return {
    world_slug: request.world_slug,
    attempt_id: request.attempt_id,
    renderer_version: request.renderer_version,
    plugin_versions: canonicalText(request.plugin_versions),
    host: request.holder.host,
    pid: request.holder.pid,
    started_at: toTimestamp(request.started_at),
    lease_ms: request.lease_ms,
    inbox_id: request.inbox_id ?? null,
  };
}

function toBegun({ world_slug, attempt_id }: BeginAttempt, taken: Taken, closed: readonly Swept[]): BeginOutcome {
  const { turn, epoch } = taken;
  return {
    kind: 'begun',
    lease: { attempt_id, world_slug, attempted_turn: turn + 1, epoch },
    world: toWorld(world_slug, turn, toContents(taken)),
    interrupted_attempts: closed.map((one) => one.attempt_id),
  };
}

const LOCK_WORLD = prepare(
  'lock_world',
  `SELECT lease_attempt_id, lease_host, lease_pid, lease_until, lease_until > clock_timestamp() AS is_leased
   FROM worlds WHERE world_slug = :world_slug FOR UPDATE`,
);

interface LockedWorld {
  readonly lease_attempt_id: string | null;
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_until: Date | null;
  /** By the clock of the database, which all drivers share. */
  readonly is_leased: boolean | null;
}

type Obstacle = Exclude<BeginOutcome, { kind: 'begun' }> | Cleared;

interface Cleared {
  readonly kind: 'cleared';
  readonly closed: readonly Swept[];
}

const FIND_ASKING = prepare(
  'find_asking_message',
  `SELECT FROM agent_inbox WHERE world_slug = :world_slug AND ${NOT_BEGUN}`,
);

async function isAskedFor(transaction: Runner, world_slug: string, inbox_id: string): Promise<boolean> {
  return (await run(transaction, FIND_ASKING, { world_slug, inbox_id })).length === 1;
}

/** Takes the lease back from a driver that is gone. Demands a transaction. */
async function clearWorld(transaction: Runner, request: BeginAttempt, isDriven: IsDriven): Promise<Obstacle> {
  const { world_slug, started_at, inbox_id } = request;
  if (inbox_id !== undefined && !(await isAskedFor(transaction, world_slug, inbox_id)))
    return { kind: 'not_asked_for' };
  const [world] = await run<LockedWorld>(transaction, LOCK_WORLD, { world_slug });
  if (!world) return { kind: 'unknown_world' };
  const { lease_attempt_id, lease_host, lease_pid, lease_until } = world;
  if (lease_attempt_id === null || lease_host === null || lease_pid === null || lease_until === null)
    return { kind: 'cleared', closed: [] };
  const holder = { host: lease_host, pid: lease_pid };
  if (world.is_leased === true && isDriven(holder, lease_attempt_id))
    return { kind: 'held', holder, attempt_id: lease_attempt_id, until: lease_until.getTime() };
  return { kind: 'cleared', closed: await takeBack(transaction, [world_slug], started_at) };
}
