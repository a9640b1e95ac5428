import { isVisibleTo } from '../turn/scope.js';
import { subjectAmbientKey } from '../turn/ambients.js';
import type { TurnState } from '../turn/state.js';
import type { Program, SubjectProgram } from '../workflow/program.js';
import type { AgentTransition, ToolAnswered, ToolCalled } from './transition.js';

/**
 * What a step of the turn means for its agents, read off the states before and after it, in the order in which it
 * happened. That they rest or end is not among it: that is known when the attempt has done so.
 */
export function transitionsOf(program: Program, before: TurnState, after: TurnState): readonly AgentTransition[] {
  return [
    ...listAnsweredTools(program, before, after),
    ...listReported(program, before, after),
    ...findAnswered(program, before, after),
    ...findDispatched(program, before, after),
    ...findEntered(program, before, after),
    ...listCalledTools(program, before, after),
  ];
}

function listAnsweredTools(program: Program, before: TurnState, after: TurnState): readonly ToolAnswered[] {
  return listTools(program, before)
    .filter(({ call_key }) => !after.awaited.has(call_key))
    .map((tool) => ({ kind: 'tool_answered', ...tool }));
}

/** A call that came later, and that no model elected. */
function listReported(program: Program, before: TurnState, after: TurnState): readonly AgentTransition[] {
  const subject = findSubject(program, before);
  if (subject === undefined) return [];
  return [...before.pended.keys()].flatMap((call_key) => {
    const asker = before.awaited.get(call_key);
    const isReported = asker?.kind === 'node' && asker.tool_name === undefined && !after.awaited.has(call_key);
    return isReported ? [{ kind: 'reported' as const, subject_id: subject.subject_id, call_key }] : [];
  });
}

function listCalledTools(program: Program, before: TurnState, after: TurnState): readonly ToolCalled[] {
  return listTools(program, after)
    .filter(({ call_key }) => !before.awaited.has(call_key))
    .map((tool) => ({ kind: 'tool_called', ...tool }));
}

function listTools(program: Program, state: TurnState): readonly Omit<ToolCalled, 'kind'>[] {
  const subject = findSubject(program, state);
  if (subject === undefined) return [];
  return [...state.awaited].flatMap(([call_key, asker]) =>
    asker.kind === 'node' && asker.tool_name !== undefined
      ? [{ subject_id: subject.subject_id, call_key, tool_name: asker.tool_name }]
      : [],
  );
}

/** A subject is left behind only by what it said. */
function findAnswered(program: Program, before: TurnState, after: TurnState): readonly AgentTransition[] {
  const subject = findSubject(program, before);
  if (subject === undefined || after.subject_index === before.subject_index) return [];
  const said = after.patches.findLast(({ subject_id }) => subject_id === subject.subject_id);
  if (said === undefined) throw new Error(`${subject.subject_id} was left behind and has said nothing`);
  return [{ kind: 'answered', subject_id: subject.subject_id, call_key: said.call_key }];
}

function findDispatched(program: Program, before: TurnState, after: TurnState): readonly AgentTransition[] {
  const subject = findSubject(program, after);
  if (subject === undefined || isSameSubject(before, after)) return [];
  return [{ kind: 'dispatched', subject_id: subject.subject_id }];
}

/** One whose first node fails before it has asked anything has never entered. */
function findEntered(program: Program, before: TurnState, after: TurnState): readonly AgentTransition[] {
  const subject = findSubject(program, after);
  if (subject === undefined || after.stage !== 'nodes') return [];
  if (before.stage === 'nodes' && isSameSubject(before, after)) return [];
  const { subject_id, workflow } = subject;
  const last = workflow.nodes.find(({ id }) => id === workflow.apply_from);
  if (last?.type !== 'llm_tool_loop') throw new Error(`the workflow of ${subject_id} gives no patch`);
  const task = { workflow_hash: workflow.hash, answer_schema_hash: last.offered.hash };
  return [{ kind: 'entered', subject_id, ...task, reading_keys: listReadings(subject, after) }];
}

function listReadings({ subject_id, workflow }: SubjectProgram, state: TurnState): readonly string[] {
  const entity = state.subject?.scope.subject;
  const turn = workflow.turn_ambients.filter(
    ({ key, visible_to }) => entity !== undefined && isVisibleTo(visible_to, entity) && state.readings.has(key),
  );
  const own = workflow.subject_ambients.filter(({ id }) => state.subject?.readings.has(id));
  return [...turn.map(({ key }) => key), ...own.map(({ id }) => subjectAmbientKey(subject_id, id))];
}

function isSameSubject(before: TurnState, after: TurnState): boolean {
  return before.subject !== undefined && before.subject_index === after.subject_index;
}

function findSubject(program: Program, state: TurnState): SubjectProgram | undefined {
  return state.subject === undefined ? undefined : program.subjects[state.subject_index];
}
