import { type Problem, problem } from '../../contract/problem.js';
import type { AvailableTool, LlmToolLoopNode } from '../../generated/workflow.js';
import { checkRedaction } from '../binding/check-redaction.js';
import { checkArguments } from '../binding/check-requests.js';
import { resultShape, type SchemaParts } from '../binding/typed-schemas.js';
import { complainIf, complainOfTwins } from '../protocol/document-problem.js';
import { unveil } from '../typing/shape.js';
import { checkNativeTools } from './check-native-tools.js';

/** Checks of a node's tools beyond the schema: names, arguments, and the visible parts of their results. */
export function checkTools(parts: SchemaParts, node: LlmToolLoopNode, pointer: string): readonly Problem[] {
  const { available_tools: tools, max_tool_calls } = node;
  const names = tools.map(({ name }) => name);
  const list = `${pointer}/available_tools`;
  return [
    ...complainOfTwins('TOOL_NAME_TWICE', names, (index) => `${list}/${index}/name`),
    ...tools.flatMap((tool, index) => {
      const place = `${list}/${index}`;
      return [...checkArguments(parts, tool, place), ...checkToolRedaction(parts, tool, place)];
    }),
    ...checkNativeTools(parts, node, pointer),
    ...complainIf(
      tools.length > 0 && max_tool_calls === 0,
      problem('TOOLS_NEVER_OFFERED', { id: node.id }, { pointer: `${pointer}/max_tool_calls` }),
    ),
  ];
}

/** No schema describes a failure: with `tell_model`, an allow-list may name parts that no result has. */
function checkToolRedaction(parts: SchemaParts, tool: AvailableTool, pointer: string): readonly Problem[] {
  const complaints = checkRedaction(tool.redaction.allow, unveil(resultShape(parts, tool)), pointer);
  if (tool.on_failure !== 'tell_model') return complaints;
  return complaints.map((complaint) => ({ ...complaint, severity: 'note' }));
}
