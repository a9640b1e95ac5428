import type { Json } from '../../engine/contract/json.js';
import { unreachable } from '../../engine/contract/unreachable.js';
import type { Message } from '../../engine/core/prompt/message.js';
import { contentOf } from '../../engine/core/prompt/message.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Step } from '../../engine/core/turn/step.js';
import type { AcceptedPatch, Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { TurnBegan } from '../../engine/core/protocol/event.js';
import type { Recorded } from '../../engine/core/turn/refold.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import type { Verdict } from '../../engine/core/protocol/verdict.js';
import type { Program } from '../../engine/core/protocol/program.js';
import type { AuditRecord, PatchEffectRecord, PatchRecord } from '../../engine/ports/records.js';

/** A call that the turn asks for. */
interface Ask {
  readonly key: string;
  readonly request_hash: string;
  readonly deadline_ms: number;
  readonly retry?: Json;
  /** Of a source. */
  readonly request?: Json;
  /** Of a generation: the messages that its conversation did not hold before, line by line. */
  readonly messages?: readonly { readonly role: string; readonly lines: readonly string[] }[];
  readonly offered?: { readonly name: string; readonly hash: string; readonly schema_delivery: string };
}

/** The result of one event. */
export interface FoldStep {
  /** `turn_began`, or how a call ended and its key. */
  readonly event: string;
  readonly asks: readonly Ask[];
  readonly verdict?: Json;
  /** The turn ended, or waits. */
  readonly end?: 'commit' | 'fail' | 'suspend';
}

/** A patch without the ids that differ between recordings. */
interface RecordedPatch extends Omit<PatchRecord, 'source_invocation_id' | 'llm_call_id' | 'origins' | 'effects'> {
  readonly effects: readonly Omit<PatchEffectRecord, 'sources'>[];
}

/** The audit without the ids that differ between recordings. */
type RecordedAudit = Pick<
  AuditRecord,
  'audit_kind' | 'workflow_subject_entity_id' | 'workflow_node_id' | 'patch_seq' | 'attempt_number' | 'rejection'
>;

/** The outcome of an attempt, from its record. */
export interface AttemptResult {
  readonly status: string;
  readonly failure_class: string | null;
  readonly patches: readonly RecordedPatch[];
  readonly audit: readonly RecordedAudit[];
}

/** The core's results for recorded calls, step by step. */
interface Fold {
  readonly steps: readonly FoldStep[];
  readonly result: AttemptResult;
  /** The records that were used, in the order in which they were. */
  readonly used: readonly Recorded[];
}

/** Answers each call of a turn by its record, in the order in which the calls were made. */
export function foldCalls(program: Program, began: TurnBegan, records: readonly Recorded[]): Fold {
  const steps: FoldStep[] = [];
  const used: Recorded[] = [];
  const waiting: Invoke[] = [];
  const shown = new Map<string, number>();
  const left = [...records];
  const rejections: RecordedAudit[] = [];
  let last: TurnCommand | undefined;
  const follow = (event: string, { commands, verdict }: Step): void => {
    const invokes = commands.filter((command) => command.kind === 'invoke');
    const end = commands.find((command) => command.kind !== 'invoke');
    waiting.push(...invokes);
    last = end ?? last;
    if (verdict?.rejection !== undefined) rejections.push(toRejected(verdict.rejection));
    steps.push({
      event,
      asks: invokes.map((invoke) => toAsk(invoke, shown)),
      ...(verdict === undefined ? {} : { verdict: toStated(verdict) }),
      ...(end === undefined ? {} : { end: end.kind }),
    });
  };
  let step = advance(program, UNBEGUN, began);
  follow(began.kind, step);
  for (let next = takeAnswerable(waiting, left); next !== undefined; next = takeAnswerable(waiting, left)) {
    const { record, event } = next;
    used.push(record);
    step = advance(program, step.state, event);
    follow(`${event.kind} ${event.key}`, step);
  }
  return { steps, used, result: toResult(last, rejections) };
}

function toResult(last: TurnCommand | undefined, rejections: readonly RecordedAudit[]): AttemptResult {
  const open = { failure_class: null, patches: [], audit: rejections };
  switch (last?.kind) {
    case undefined:
    case 'invoke':
      return { ...open, status: 'running' };
    case 'suspend':
      return { ...open, status: 'suspended' };
    case 'fail': {
      const audit = [...rejections, toRecordedAudit({ audit_kind: 'attempt_failed', ...toPlace(last) })];
      return { ...open, status: 'failed', failure_class: last.failure_class, audit };
    }
    case 'commit': {
      const applied = last.patches.map(({ patch_seq, ...patch }) =>
        toRecordedAudit({ audit_kind: 'patch_applied', ...toPlace(patch), patch_seq }),
      );
      const audit = [...rejections, ...applied, toRecordedAudit({ audit_kind: 'turn_complete' })];
      return { ...open, status: 'committed', patches: last.patches.map(toPatchRecord), audit };
    }
    default:
      return unreachable(last);
  }
}

/** An entry of the audit, of which what is left out is null. */
export function toRecordedAudit({
  audit_kind,
  workflow_subject_entity_id = null,
  workflow_node_id = null,
  patch_seq = null,
  attempt_number = null,
  rejection = null,
}: Pick<RecordedAudit, 'audit_kind'> & Partial<RecordedAudit>): RecordedAudit {
  return { audit_kind, workflow_subject_entity_id, workflow_node_id, patch_seq, attempt_number, rejection };
}

function toPlace({ subject_id, node_id }: { readonly subject_id?: string; readonly node_id?: string }) {
  return { workflow_subject_entity_id: subject_id ?? null, workflow_node_id: node_id ?? null };
}

function toRejected({ attempt_number, rejection, ...place }: NonNullable<Verdict['rejection']>): RecordedAudit {
  return toRecordedAudit({ audit_kind: 'generation_rejected', ...toPlace(place), attempt_number, rejection });
}

function toPatchRecord({ patch_seq, subject_id, node_id, applied }: AcceptedPatch): RecordedPatch {
  return {
    patch_seq,
    workflow_subject_entity_id: subject_id,
    workflow_node_id: node_id,
    narration: applied.patch.narration,
    touched_entities: applied.touched_entities,
    effects: applied.effects.map(({ entity_id = null, environment_label = null, state_before = null, ...effect }) => ({
      ...effect,
      entity_id,
      environment_label,
      state_before,
    })),
  };
}

/** The public part of a verdict: records show it. */
function toStated({ model_output_kind, failure, passed_on }: Verdict): Json {
  return {
    ...(model_output_kind === undefined ? {} : { model_output_kind }),
    ...(failure === undefined ? {} : { failure: { ...failure } }),
    ...(passed_on === undefined ? {} : { passed_on }),
  };
}

/** The first waiting call with a record. A pending call has none, and stays. */
function takeAnswerable(waiting: Invoke[], left: Recorded[]) {
  for (const [index, command] of waiting.entries()) {
    const record = left.find(({ key, event }) => key === command.key && event !== undefined);
    if (record?.event === undefined) continue;
    waiting.splice(index, 1);
    left.splice(left.indexOf(record), 1);
    return { record, event: record.event };
  }
  return undefined;
}

function toAsk(invoke: Invoke, shown: Map<string, number>): Ask {
  const { key, request_hash, deadline_ms, retry, request, generation } = invoke;
  const asked = { key, request_hash, deadline_ms, ...(retry === undefined ? {} : { retry: { ...retry } }) };
  if (generation === undefined) return { ...asked, request };
  const { conversation, messages, offered, schema_delivery } = generation;
  const before = shown.get(conversation) ?? 0;
  shown.set(conversation, messages.length);
  const { name, hash } = offered;
  return { ...asked, messages: messages.slice(before).map(toLines), offered: { name, hash, schema_delivery } };
}

function toLines(message: Message) {
  return { role: message.role, lines: contentOf(message).split('\n') };
}
