import type { Scenario } from '../../generated/scenario.js';
import type { AmbientSourceBinding, CognitionWorkflow } from '../../generated/workflow.js';
import { pointerTokens } from '../content/json-pointer.js';
import { checkAmbients } from './check-ambients.js';
import { checkNodes } from './check-nodes.js';
import { listRemembered } from './check-remember.js';
import { checkSpeculation } from './check-speculation.js';
import { compileCall } from '../binding/compile-call.js';
import { compileNode } from '../nodes/index.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import { inDocument } from '../protocol/document-problem.js';
import {
  MAX_SPECULATIVE,
  type AmbientProgram,
  type Inputs,
  type NodeProgram,
  type TurnAmbientProgram,
  type WorkflowProgram,
} from '../protocol/program.js';
import { listReads } from '../protocol/request-template.js';
import { withPrompts } from './prompt-files.js';
import { readersOf } from './readers.js';
import { turnAmbientKey } from '../protocol/visibility.js';

/** A workflow as a program, and everything that keeps it from running in this scenario under this policy. */
export function compileWorkflow(
  parts: CompileParts,
  scenario: Scenario,
  authored: CognitionWorkflow,
  setting: WorkflowSetting,
): Part<WorkflowProgram> {
  const { document } = setting;
  const { workflow, problems: missing, place } = withPrompts(parts, document, authored);
  const ambients = workflow.ambient_sources.map((binding, index) =>
    compileAmbient(parts, setting, binding, `/ambient_sources/${index}`),
  );
  const nodes = workflow.nodes.map((node, index) => compileNode(parts, setting, node, `/nodes/${index}`));
  const typed = { scenario, workflow, subjects: setting.subjects };
  const readers = readersOf(parts, typed);
  const found = [
    ...missing,
    ...inDocument(document, [
      // A prompt that is not there may show any reading.
      ...checkAmbients(parts, typed, readers).filter(({ code }) => code !== 'READING_UNSEEN' || missing.length === 0),
      ...checkNodes(parts, workflow, readers.nodes),
      ...checkSpeculation(workflow, setting.subjects),
    ]),
    ...ambients.flatMap((part) => part.problems),
    ...nodes.flatMap((part) => part.problems),
  ];
  const problems = found.map(place);
  if ([...ambients, ...nodes].some(({ value }) => value === undefined)) return { problems };
  const compiled = ambients.flatMap((part) => part.value ?? []);
  const subject_ambients = compiled.flatMap(({ run, binding }) => (run === 'before_subject_workflow' ? [binding] : []));
  const compiledNodes = nodes.flatMap((part) => part.value ?? []);
  return {
    problems,
    value: {
      hash: document.hash,
      turn_ambients: compiled.flatMap((ambient) => (ambient.run === 'once_per_turn' ? [ambient.binding] : [])),
      subject_ambients,
      nodes: compiledNodes,
      remember: listRemembered(workflow),
      max_speculative:
        workflow.execution === 'per_subject_concurrent' ? (workflow.max_speculative ?? MAX_SPECULATIVE) : 0,
      inputs: toInputs([...subject_ambients, ...compiledNodes]),
    },
  };
}

/** The parts of the world that the prompts and request templates of a workflow read. */
function toInputs(parts: readonly (AmbientProgram | NodeProgram)[]): Inputs {
  const templates = parts.flatMap((part) => ('request_template' in part ? listReads(part.request_template) : []));
  const pointers = templates.map(({ from }) => pointerTokens(from)).filter(([room = 'world']) => room === 'world');
  return { projections: parts.flatMap((part) => ('projection' in part ? [part.projection] : [])), pointers };
}

function compileAmbient(
  parts: CompileParts,
  setting: WorkflowSetting,
  binding: AmbientSourceBinding,
  pointer: string,
): Part<{ readonly run: AmbientSourceBinding['run']; readonly binding: TurnAmbientProgram }> {
  const call = compileCall(parts, setting, binding, {
    pointer,
    policy_id: binding.id,
    speaks: 'json',
    once_per_turn: binding.run === 'once_per_turn',
  });
  if (call.value === undefined) return { problems: call.problems };
  const ambient: AmbientProgram = {
    id: binding.id,
    call: call.value,
    request_template: binding.request_template,
    visible_to: binding.visible_to,
    inject_at: pointerTokens(binding.inject_as).slice(1),
    workflow_hash: setting.document.hash,
  };
  const value = { run: binding.run, binding: { ...ambient, key: turnAmbientKey(binding) } };
  return { value, problems: call.problems };
}
