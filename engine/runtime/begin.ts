import { present } from '../contract/present.js';
import { RENDERER_VERSION } from '../core/prompt/renderer-version.js';
import type { Fail } from '../core/protocol/command.js';
import { type Adoption, adopt } from '../core/turn/adopt.js';
import { mismatch } from '../core/turn/refold.js';
import type { AttemptPast, BeginAttempt, LeftAttempt } from '../ports/attempts.js';
import { toRecorded } from './event-of.js';
import { heartbeatOf } from './interval-heartbeat.js';
import type { Progress } from './progress.js';
import type { AttemptRequest } from './attempt-request.js';
import type { RuntimeParts } from './runtime-parts.js';

/** How many drivers an attempt may outlive. */
const TAKE_OVERS_MAX = 5;

/** The request to the store to begin an attempt, with a fresh id. */
export function toBegin(parts: RuntimeParts, request: AttemptRequest): BeginAttempt {
  const { world_slug, program, inbox_id, continues_only, until_turn, anew } = request;
  return {
    attempt_id: parts.clock.uuid(),
    world_slug,
    scenario_hash: program.scenario_hash,
    holder: parts.holder,
    started_at: parts.clock.now(),
    lease_ms: heartbeatOf(parts).lease_ms,
    renderer_version: RENDERER_VERSION,
    plugin_versions: parts.plugin_versions,
    event_turns: program.event_turns,
    memories: program.memories,
    ...present({ inbox_id, continues_only, until_turn, anew }),
    adopt: (left) => adoptFrom(request, left),
  };
}

/** The calls of the attempt before that a new one adopts. */
function adoptFrom(
  { program, simulationTime }: AttemptRequest,
  { world, attempted_turn, attempt_id, calls, ...left }: LeftAttempt,
): Adoption {
  const began = { kind: 'turn_began', world, simulation_time: simulationTime(attempted_turn) } as const;
  const ended = calls.find(({ source_invocation_id }) => source_invocation_id === left.failed_source_invocation_id);
  const { failure_class } = left;
  const is_transient = left.is_transient ? true : undefined;
  const failure = present({ failure_class, is_transient, call_key: ended?.key });
  const records = calls.map((call) => toRecorded({ ...call, adopted_from: call.adopted_from ?? attempt_id }));
  return adopt(program, began, { scenario_hash: left.scenario_hash, failure, records });
}

/** The reason why this program cannot resume an attempt that another driver left; undefined where it can. */
export function findUnfit(parts: RuntimeParts, past: AttemptPast, plugins: ReadonlySet<string>): Fail | undefined {
  if (past.take_overs > TAKE_OVERS_MAX) {
    const message = `${past.take_overs} drivers have failed in this attempt; the next one would most likely fail as well`;
    return { kind: 'fail', failure_class: 'poisoned', message };
  }
  const versions = Object.entries(parts.plugin_versions).filter(([name]) => plugins.has(name));
  const ours = { renderer: RENDERER_VERSION, ...Object.fromEntries(versions) };
  const theirs: Readonly<Record<string, string>> = { renderer: past.renderer_version, ...past.plugin_versions };
  const changed = Object.entries(ours).find(([name, version]) => (theirs[name] ?? version) !== version);
  if (changed === undefined) return undefined;
  const [name, version] = changed;
  return mismatch(`the attempt began with ${name} ${theirs[name]}, and this program has ${version}`);
}

/** The past of an attempt, for watchers: how many calls it has on record, or adopts. */
export function toPast(
  past: AttemptPast | undefined,
  adopts: string | undefined,
): Pick<Extract<Progress, { kind: 'attempt_began' }>, 'continued' | 'adopts'> {
  if (past === undefined) return {};
  if (adopts !== undefined) return { adopts: { attempt_id: adopts, calls: past.calls.length } };
  const interrupted = past.calls.filter(({ fact }) => fact === undefined).length;
  const pending = past.calls.filter(({ fact }) => fact?.status === 'pending').length;
  return { continued: { answered: past.calls.length - interrupted - pending, interrupted } };
}
