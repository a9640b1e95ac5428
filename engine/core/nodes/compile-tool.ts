import { problem } from '../../contract/problem.js';
import type { AvailableTool } from '../../generated/workflow.js';
import { compileCall } from '../binding/compile-call.js';
import type { CompileParts, Part, WorkflowSetting } from '../binding/compile-parts.js';
import { notAllowed } from '../binding/not-allowed.js';
import { complainIf, inDocument, isError } from '../protocol/document-problem.js';
import type { ToolProgram } from '../protocol/program.js';
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
  const isDenied = setting.policy !== undefined && !setting.policy.allow.has(name);
  // An author may mean it, where several profiles share a workflow; more often a name is misspelt.
  const denied = isDenied ? [notAllowed(setting, 'TOOL_NOT_ALLOWED', tool, { pointer: `${pointer}/name` })] : [];
  const named = [...inDocument(document, checkToolName(parts, tool, `${pointer}/name`)), ...denied];
  if (isDenied && !denied.some(isError)) {
    // A denied tool is never called, so that it needs no plugin.
    const problems = call.problems.filter(({ code }) => code !== 'PLUGIN_UNKNOWN');
    return { value: { name, permitted: false }, problems: [...named, ...problems] };
  }
  const args = call.value?.input;
  if (call.value === undefined || args === undefined) return { problems: [...named, ...call.problems] };
  const misfits = complainIf(
    args.schema['type'] !== 'object',
    problem('ARGUMENTS_NOT_OBJECT', { name }, { pointer: `${pointer}/arguments_schema_ref` }),
  );
  return {
    value: { name, permitted: true, description, call: call.value, arguments: args },
    problems: [...named, ...call.problems, ...inDocument(document, misfits)],
  };
}
