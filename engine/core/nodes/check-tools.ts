import type { AvailableTool, LlmToolLoopNode } from '../../generated/workflow.js';
import { checkRedaction } from '../binding/check-redaction.js';
import { checkArguments } from '../binding/check-requests.js';
import { resultShape, type SchemaParts } from '../binding/typed-schemas.js';
import { type Complaint, complainIf, complainOfTwins } from '../protocol/document-problem.js';
import { unveil } from '../typing/shape.js';

/** Checks of a node's tools beyond the schema: names, arguments, and the visible parts of their results. */
export function checkTools(parts: SchemaParts, node: LlmToolLoopNode, pointer: string): readonly Complaint[] {
  const { available_tools: tools, max_tool_calls } = node;
  const names = tools.map(({ name }) => name);
  const list = { pointer: `${pointer}/available_tools`, member: 'name', noun: 'tool', each: 'tool of a node' } as const;
  return [
    ...complainOfTwins('TOOL_NAME_TWICE', names, list),
    ...tools.flatMap((tool, index) => {
      const place = `${list.pointer}/${index}`;
      return [...checkArguments(parts, tool, place), ...checkToolRedaction(parts, tool, place)];
    }),
    ...complainIf(tools.length > 0 && max_tool_calls === 0, {
      code: 'TOOLS_NEVER_OFFERED',
      message: `${node.id} has tools, but "max_tool_calls" is 0: no model is ever offered one.`,
      pointer: `${pointer}/max_tool_calls`,
      repair: 'Write how many calls are allowed, or remove the tools.',
      severity: 'note',
    }),
  ];
}

/** No schema describes a failure: with `tell_model`, an allow-list may name parts that no result has. */
function checkToolRedaction(parts: SchemaParts, tool: AvailableTool, pointer: string): readonly Complaint[] {
  const complaints = checkRedaction(tool.redaction.allow, unveil(resultShape(parts, tool)), pointer);
  if (tool.on_failure !== 'tell_model') return complaints;
  return complaints.map((complaint) => ({ ...complaint, severity: 'note' }));
}
