import { canonicalText } from '../../core/content/canonical.js';
import type { BeginAttempt, BeginOutcome, Holder } from '../../ports/attempts.js';
import { prepare, run, type Runner, toTimestamp } from '../statement.js';
import { readContents, toWorld } from '../world-snapshot.js';
import { closeDeadAttempts } from './end-attempt.js';
import { leaseEnd } from './fence.js';

/** Whether the driver that a lease names still drives its attempt. */
export type IsDriven = (holder: Holder, attempt_id: string) => boolean;

// The lock that fences wait for: it must be this one, taken before the epoch changes.
const LOCK_WORLD = prepare(
  'lock_world',
  `SELECT turn, scenario_hash, lease_epoch, lease_attempt_id, lease_host, lease_pid, lease_until,
     lease_until > clock_timestamp() AS is_leased
   FROM worlds WHERE world_slug = :world_slug FOR UPDATE`,
);

interface LockedWorld {
  readonly turn: number;
  readonly scenario_hash: string;
  readonly lease_epoch: number;
  readonly lease_attempt_id: string | null;
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_until: Date | null;
  /** By the clock of the database, which all drivers share. */
  readonly is_leased: boolean | null;
}

const OPEN_ATTEMPT = prepare(
  'open_attempt',
  `WITH attempt AS (
     INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
       plugin_versions, holder_host, holder_pid, started_at)
     VALUES (:world_slug, :attempt_id::uuid, :attempted_turn, :epoch, :scenario_hash, :renderer_version,
       :plugin_versions::json, :host, :pid::int, :started_at::timestamptz)),
   lease AS (
     UPDATE worlds SET lease_epoch = :epoch, lease_attempt_id = :attempt_id::uuid, lease_host = :host,
       lease_pid = :pid::int, lease_until = ${leaseEnd('lease_ms')}
     WHERE world_slug = :world_slug)
   INSERT INTO attempt_timeline_events (world_slug, attempt_id, event_kind, occurred_at)
   VALUES (:world_slug, :attempt_id::uuid, 'attempt_began', :started_at::timestamptz)`,
);

/**
 * Takes a world's lease with the next epoch, unless a living driver has it; closes what a dead one left, and reads the
 * world. Demands a transaction.
 */
export async function beginAttempt(
  transaction: Runner,
  request: BeginAttempt,
  isDriven: IsDriven,
): Promise<BeginOutcome> {
  const [world] = await run<LockedWorld>(transaction, LOCK_WORLD, { world_slug: request.world_slug });
  if (!world) return { kind: 'unknown_world' };
  const held = findHolder(world, isDriven);
  if (held) return held;
  const dead = await closeDeadAttempts(transaction, [request.world_slug], request.started_at);
  const lease = {
    attempt_id: request.attempt_id,
    world_slug: request.world_slug,
    attempted_turn: world.turn + 1,
    epoch: world.lease_epoch + 1,
  };
  await openAttempt(transaction, request, { ...lease, scenario_hash: world.scenario_hash });
  const contents = await readContents(transaction, request.world_slug, world.turn);
  return {
    kind: 'begun',
    lease,
    world: toWorld(request.world_slug, world.turn, contents),
    interrupted_attempts: dead.map(({ attempt_id }) => attempt_id),
  };
}

function findHolder(world: LockedWorld, isDriven: IsDriven): BeginOutcome | undefined {
  const { lease_attempt_id, lease_host, lease_pid, lease_until } = world;
  if (lease_attempt_id === null || lease_host === null || lease_pid === null || lease_until === null) return undefined;
  const holder = { host: lease_host, pid: lease_pid };
  if (world.is_leased !== true || !isDriven(holder, lease_attempt_id)) return undefined;
  return { kind: 'held', holder, attempt_id: lease_attempt_id, until: lease_until.getTime() };
}

async function openAttempt(
  transaction: Runner,
  request: BeginAttempt,
  place: { readonly attempted_turn: number; readonly epoch: number; readonly scenario_hash: string },
): Promise<void> {
  await run(transaction, OPEN_ATTEMPT, {
    ...place,
    world_slug: request.world_slug,
    attempt_id: request.attempt_id,
    renderer_version: request.renderer_version,
    plugin_versions: canonicalText(request.plugin_versions),
    host: request.holder.host,
    pid: request.holder.pid,
    started_at: toTimestamp(request.started_at),
    lease_ms: request.lease_ms,
  });
}
