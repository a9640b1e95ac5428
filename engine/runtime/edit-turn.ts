import type { Json } from '../contract/json.js';
import { contentHash } from '../core/content/canonical.js';
import { sealEntries } from '../core/ledger/seal.js';
import { writeLedger } from '../core/ledger/write-ledger.js';
import type { CallProgram } from '../core/protocol/program.js';
import { applyPatch } from '../core/world/apply-patch.js';
import type { World } from '../core/world/world.js';
import type { WorldPatch } from '../core/world/world-patch.js';
import type { BeginOutcome, CallStart, CommitTurn } from '../ports/attempts.js';
import type { AttemptRequest } from './attempt-request.js';
import { toBegin } from './begin.js';
import { factOfBeginning, factsOfCalls, factsOfCommit } from './fact-log.js';
import { demand, Overtaken } from './overtaken.js';
import type { RuntimeParts } from './runtime-parts.js';

/** A patch of a person that the world accepts, and what is recorded of it. */
export interface Edit {
  readonly patch: WorldPatch;
  readonly edited_by: string;
  readonly reason: string;
  /** The stored source that stands for persons. */
  readonly source_hash: string;
}

export type EditEnd =
  | Exclude<BeginOutcome, { readonly kind: 'begun' | 'other_scenario' }>
  | { readonly kind: 'edited'; readonly attempt_id: string; readonly attempted_turn: number }
  /** An attempt at the turn is open: nothing has changed. */
  | { readonly kind: 'turn_open'; readonly attempt_id: string };

/**
 * Makes a patch of a person a turn of its own: with the lease of the world, a call of which it is the answer, and a seal.
 * Nobody else acts in it. What a failed attempt at the turn had read is read anew; after its side effects there is no edit.
 * @throws Overtaken when another driver took the world, or it has another scenario; every error of a lost database
 */
export async function editTurn(
  parts: RuntimeParts,
  request: Omit<AttemptRequest, 'signal' | 'onProgress'>,
  edit: Edit,
): Promise<EditEnd> {
  const { program } = request;
  const whole = { ...request, signal: new AbortController().signal, onProgress: () => {} };
  const begin = { ...toBegin(parts, whole), adopt: leaveBehind };
  const begun = await parts.attempts.begin(begin, parts.isAlive);
  if (begun.kind === 'other_scenario') throw new Overtaken();
  if (begun.kind !== 'begun') return begun;
  const { lease, world, past } = begun;
  const { attempt_id, attempted_turn } = lease;
  if (past !== undefined) {
    await parts.attempts.handOver(lease, { at: parts.clock.now(), has_broken: false });
    return { kind: 'turn_open', attempt_id };
  }
  const start = toStart(parts, world, edit, program.subjects[0]?.workflow.hash ?? '');
  const { source_invocation_id, command } = start;
  const ended_at = parts.clock.now();
  const answer = edit.patch as unknown as Json;
  const ended = { key: command.key, status: 'succeeded', ended_at, duration_ms: 0 } as const;
  const finish = {
    source_invocation_id,
    outcome: { ...ended, validation_status: 'valid', answer, view: answer },
  } as const;
  const writes = [
    { started: [start], finished: [] },
    { started: [], finished: [finish] },
  ];
  for (const calls of writes) demand(await parts.attempts.writeCalls(lease, calls));
  const origins = ['person'] as const;
  const { applied } = applyPatch(world, edit.patch, origins);
  const { key: call_key, subject_id = '', workflow_hash } = command;
  const place = { patch_seq: 1, subject_id, node_id: 'edit', workflow_hash, call_key };
  const patch = { ...place, applied, origins, source_invocation_id };
  const simulation_time = request.simulationTime(attempted_turn);
  const turn: Omit<CommitTurn, 'seal'> = { patches: [patch], simulation_time, ended_at, agents: [] };
  const facts = [factOfBeginning(lease, begin), ...writes.flatMap(factsOfCalls), ...factsOfCommit(turn)];
  demand(await parts.attempts.commit(lease, { ...turn, seal: sealEntries(writeLedger(program.orders, facts)) }));
  return { kind: 'edited', attempt_id, attempted_turn };
}

/** A failed attempt is left behind unless it has changed something outside: its reads say nothing of another world. */
const leaveBehind: ReturnType<typeof toBegin>['adopt'] = ({ calls }) => {
  const acted = calls.find(({ effect, fact }) => effect !== 'read_only' && fact?.status === 'succeeded');
  return acted === undefined
    ? { kind: 'adopts', source_invocation_ids: [] }
    : { kind: 'refused', reason: `the call ${acted.key} had its side effect: its turn has to be finished first` };
};

function toStart({ clock }: RuntimeParts, world: World, edit: Edit, workflow_hash: string): CallStart {
  const { edited_by, reason, source_hash } = edit;
  const subject_id = editorOf(world);
  const request = { edited_by, reason };
  const call: CallProgram = {
    source: { hash: source_hash, label: 'person', plugin: 'person', interface: {} },
    effect: 'read_only',
    repeatable: false,
    redaction: 'all',
    limits: { max_runtime_ms: 0, max_request_bytes: 0, max_result_bytes: 0 },
  };
  return {
    source_invocation_id: clock.uuid(),
    invocation_seq: 1,
    performance: 1,
    started_at: clock.now(),
    command: {
      kind: 'invoke',
      key: `${subject_id}/edit`,
      invocation_kind: 'node_call',
      call,
      request,
      request_hash: contentHash({ source: source_hash, request }),
      workflow_hash,
      subject_id,
      deadline_ms: 0,
    },
  };
}

/** The name of a person in the place of a subject: one that no entity has. */
function editorOf({ entities }: World): string {
  let name = 'person';
  while (entities.has(name)) name += '_';
  return name;
}
