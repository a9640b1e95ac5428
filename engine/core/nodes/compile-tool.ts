import { present } from '../../contract/present.js';
import { problem } from '../../contract/problem.js';
import type { AvailableTool } from '../../generated/workflow.js';
import { compileCall } from '../binding/compile-call.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import { foreseeBinding, isDenied } from '../binding/foresee-binding.js';
import { notAllowed } from '../binding/not-allowed.js';
import type { Foreseen } from '../policy/policy.js';
import { complainIf, inDocument, isError } from '../protocol/document-problem.js';
import type { PermittedTool, ToolProgram } from '../protocol/program.js';
import { checkToolName } from './tool-name.js';

/** A tool as a program: one that its model is offered, or one that policy denies. */
export function compileTool(
  parts: CompileParts,
  setting: WorkflowSetting,
  tool: AvailableTool,
  pointer: string,
): Part<ToolProgram> {
  const { document } = setting;
  const call = compileCall(parts, setting, tool, {
    pointer,
    policy_id: tool.name,
    speaks: 'json',
    always_policed: true,
  });
  const { name, description } = tool;
  const foreseen = setting.policy === undefined ? [] : foreseeBinding(parts, setting, { ...tool, policy_id: name });
  const isNeverAllowed = foreseen.length > 0 && foreseen.every(isDenied);
  const rule = foreseen[0]?.ruling.rule ?? null;
  // An author may mean it, where several profiles share a workflow; more often a name is misspelt.
  const denied = isNeverAllowed
    ? [notAllowed(setting, 'TOOL_NOT_ALLOWED', { ...tool, rule }, { pointer: `${pointer}/name` })]
    : [];
  const named = [...inDocument(document, checkToolName(parts, tool, `${pointer}/name`)), ...denied];
  // A denied tool is never called, so that it needs neither a plugin nor a binding that works.
  if (isNeverAllowed && !denied.some(isError)) return { value: { name, permitted: false }, problems: named };
  const args = call.value?.input;
  if (call.value === undefined || args === undefined) return { problems: [...named, ...call.problems] };
  const misfits = complainIf(
    args.schema['type'] !== 'object',
    problem('ARGUMENTS_NOT_OBJECT', { name }, { pointer: `${pointer}/arguments_schema_ref` }),
  );
  return {
    value: {
      name,
      permitted: true,
      description,
      call: call.value,
      arguments: args,
      ...present({ needs_approval: toApproval(foreseen) }),
    },
    problems: [...named, ...call.problems, ...inDocument(document, misfits)],
  };
}

/** Whether a person must approve the calls of a tool. */
function toApproval(foreseen: readonly Foreseen[]): PermittedTool['needs_approval'] {
  const [allows, asks] = (['allow', 'require_approval'] as const).map((decision) =>
    foreseen.some(({ decisions }) => decisions.has(decision)),
  );
  if (asks !== true) return undefined;
  return allows === true ? 'sometimes' : 'always';
}
