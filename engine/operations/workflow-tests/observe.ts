import { present } from '../../contract/present.js';
import type {
  Observed,
  ObservedCall,
  ObservedEffect,
  ObservedRejection,
  ObservedTurn,
} from '../../core/workflow-test/judge.js';
import { findScripted } from '../../contract/scripted.js';
import { PATCH_OPERATIONS } from '../../core/world/patch-operations.js';
import type { ExpectedCall, WorkflowTest } from '../../generated/workflow-test.js';
import type { AttemptRecord, InvocationSummary, PatchEffectRecord } from '../../ports/records.js';
import type { Store } from '../../store/open-store.js';
import type { WorldSnapshot } from '../../ports/worlds.js';

/** Reads the outcome of a test's turns from the record. Prompts and requests are read where the test expects any. */
export async function observe(
  store: Pick<Store, 'records'>,
  attempts: readonly AttemptRecord[],
  { world, test }: { readonly world: WorldSnapshot; readonly test: WorkflowTest },
): Promise<Observed> {
  const turns: ObservedTurn[] = [];
  for (const attempt of attempts) {
    const wanted = test.expect.turns?.[String(attempt.attempted_turn)]?.calls ?? {};
    const calls = attempt.invocations.map((call) =>
      toCall(store.records, call, findScripted({ '*': wanted }, { turn: 1, key: call.command_key })?.value),
    );
    turns.push(toTurn(attempt, await Promise.all(calls)));
  }
  return { turns, world: toWorld(world) };
}

/** The outcome of one turn, without prompts and requests. */
export function toTurn(attempt: AttemptRecord, calls: readonly ObservedCall[]): ObservedTurn {
  const { attempted_turn, status, patches } = attempt;
  return {
    attempted_turn,
    status,
    failure: toFailure(attempt),
    patches: patches.map((patch) => ({
      subject: patch.workflow_subject_entity_id,
      node: patch.workflow_node_id,
      narration: patch.narration,
      effects: patch.effects.map(toEffect),
    })),
    calls,
    rejections: toRejections(attempt),
  };
}

function toFailure(attempt: AttemptRecord): ObservedTurn['failure'] {
  const { failure_class, failure_message, failed_subject_entity_id, failed_node_id } = attempt;
  if (failure_class === null) return undefined;
  const call = attempt.invocations.find(
    ({ source_invocation_id }) => source_invocation_id === attempt.failed_source_invocation_id,
  );
  return {
    class: failure_class,
    subject: failed_subject_entity_id,
    node: failed_node_id,
    key: call?.command_key ?? null,
    message: failure_message ?? '',
  };
}

/** An effect in the form of a patch. */
export function toEffect({ op, entity_id, environment_label, state_after }: PatchEffectRecord): ObservedEffect {
  return {
    op,
    ...present({ entity_id: entity_id ?? undefined, environment_label: environment_label ?? undefined }),
    [PATCH_OPERATIONS[op].text]: state_after,
  };
}

function toRejections(attempt: AttemptRecord): readonly ObservedRejection[] {
  return attempt.audit.flatMap((event): readonly ObservedRejection[] => {
    if (event.audit_kind !== 'generation_rejected') return [];
    const call = attempt.invocations.find(
      ({ source_invocation_id }) => source_invocation_id === event.source_invocation_id,
    );
    return [
      {
        subject: event.workflow_subject_entity_id ?? '',
        node: event.workflow_node_id ?? '',
        try: event.attempt_number ?? 0,
        // A gate that asks for another answer has not failed.
        detail: call?.failure_detail ?? call?.model_output_kind ?? '',
        message: event.rejection ?? '',
      },
    ];
  });
}

async function toCall(
  records: Store['records'],
  call: InvocationSummary,
  expected: ExpectedCall | undefined,
): Promise<ObservedCall> {
  const isAsked = expected?.request !== undefined;
  const record = isAsked ? await records.invocation(call.source_invocation_id, 'redacted') : undefined;
  const isShown = expected?.prompt !== undefined && call.llm_call_id !== null;
  const generation = isShown ? await records.llmCall(call.llm_call_id ?? '') : undefined;
  return {
    key: call.command_key,
    status: call.status,
    failure: call.failure_class,
    detail: call.failure_detail,
    output: call.model_output_kind,
    tool: call.tool_name,
    request: record?.request_json ?? null,
    response: call.response_json,
    prompt: generation?.messages.map(({ content }) => content).join('\n\n'),
  };
}

function toWorld({ turn, entities, environments }: WorldSnapshot): Observed['world'] {
  return {
    turn,
    entities: new Map(
      entities.map(({ id, state, memory }) => [id, { state, memory: memory.map(({ content }) => content) }]),
    ),
    environments: new Map(environments.map(({ label, content }) => [label, content])),
  };
}
