import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import type { Absent } from '../prompt/render.js';
import { templateUnresolved } from '../nodes/node-failure.js';
import { resolveTemplate } from '../protocol/request-template.js';
import type { AmbientProgram, Program, SubjectProgram, WorkflowProgram } from '../protocol/program.js';
import type { Entity } from '../world/world.js';
import { type Fail, type Invoke, toInvoke } from '../protocol/command.js';
import { findAbsence } from '../protocol/on-failure.js';
import { type Answered, traceAnswer } from '../policy/answer-origins.js';
import { originsOfRequest, traceTemplate } from '../policy/provenance.js';
import { OF_AUTHOR, ofSource } from '../prompt/origins.js';
import { type Reading, type Scope, toTemplateContext, traceScope } from '../protocol/scope.js';
import { isVisibleTo } from '../protocol/visibility.js';

/** The calls of ambient bindings, or the reason why one cannot be made. */
export type AmbientAsk = readonly Invoke[] | Fail;

/** Every once-per-turn binding, whoever will see it; they read the world at T(N-1). */
export function askTurnAmbients(program: Program, began: Pick<Scope, 'world' | 'simulation_time'>): AmbientAsk {
  const { world, simulation_time } = began;
  const scope = { world, simulation_time, ambient: {}, readings: [] };
  return collect(program.turn_ambients.map((binding) => askAmbient(binding, binding.key, scope, undefined)));
}

/** The before-subject bindings that the subject may see; they read its frozen scope. */
export function askSubjectAmbients(subject: SubjectProgram, scope: Scope): AmbientAsk {
  const visible = subject.workflow.subject_ambients.filter(
    (binding) => scope.subject !== undefined && isVisibleTo(binding.visible_to, scope.subject),
  );
  return collect(
    visible.map((binding) =>
      askAmbient(binding, `${subject.subject_id}/ambient/${binding.id}`, scope, subject.subject_id),
    ),
  );
}

/** The turn's readings that a subject is given: declared by its workflow, then filtered by `visible_to`. */
export function visibleTurnReadings(
  workflow: WorkflowProgram,
  subject: Entity,
  readings: ReadonlyMap<string, Answered>,
): readonly Reading[] {
  return workflow.turn_ambients
    .filter((binding) => isVisibleTo(binding.visible_to, subject))
    .flatMap((binding) => toReading(binding, readings.get(binding.key)));
}

/** The subject's own readings, in the order in which they are declared. */
export function readingsOfSubject(
  workflow: WorkflowProgram,
  readings: ReadonlyMap<string, Answered>,
): readonly Reading[] {
  return workflow.subject_ambients.flatMap((binding) => toReading(binding, readings.get(binding.id)));
}

/** The readings that are absent: their places below `/ambient`, and why. */
export function listAbsent({ readings }: Pick<Scope, 'readings'>): readonly Absent[] {
  return readings.flatMap(({ binding, answer }) => {
    const failure_class = findAbsence(binding.call, answer.value);
    return failure_class === undefined ? [] : [{ place: binding.inject_at.join('.'), failure_class }];
  });
}

/** A reading, and where it comes from: its source, and what its request was made of. */
export function toAnswered({ call, provenance }: Invoke, value: Json): Answered {
  return traceAnswer(value, call.output?.schema, {
    others: provenance === undefined ? OF_AUTHOR : originsOfRequest(provenance),
    dropped: ofSource(call.source.label),
  });
}

function toReading(binding: AmbientProgram, answer: Answered | undefined): readonly Reading[] {
  return answer === undefined ? [] : [{ binding, answer }];
}

function askAmbient(binding: AmbientProgram, key: string, scope: Scope, subject_id: string | undefined): Invoke | Fail {
  const { call, workflow_hash, id: ambient_id } = binding;
  const context = toTemplateContext(scope, {});
  const resolved = resolveTemplate(binding.request_template, context);
  if (!resolved.ok) {
    const where = `the request of ambient source ${ambient_id}`;
    const { failure_class, message } = templateUnresolved(where, resolved.missing.from, context);
    return present({ kind: 'fail', failure_class, message, subject_id });
  }
  const place = { key, invocation_kind: 'ambient_context', workflow_hash, ambient_id } as const;
  const provenance = traceTemplate(binding.request_template, resolved.request, traceScope(scope, new Map()));
  return { ...toInvoke(call, resolved.request), ...place, provenance, ...present({ subject_id }) };
}

function collect(asked: readonly (Invoke | Fail)[]): AmbientAsk {
  const failure = asked.find((command) => command.kind === 'fail');
  return failure ?? asked.filter((command) => command.kind === 'invoke');
}
