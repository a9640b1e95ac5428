import { type Problem, problem } from '../../contract/problem.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { AvailableTool } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { complainIf } from '../protocol/document-problem.js';

/** Nothing that an author names begins with the first; the second is for tools of servers of the Model Context Protocol. */
const RESERVED = ['core__', 'mcp__'];

/** Checks that the name of a tool names its server, where its plugin requires that, and that no other name does. */
export function checkToolName(
  parts: CompileParts,
  { name, source_ref }: AvailableTool,
  pointer: string,
): readonly Problem[] {
  const source = parts.find('response_source', hashOf(source_ref)) as unknown as ResponseSource | undefined;
  const wanted = source && parts.tool_prefixes.get(source.interface.name);
  if (wanted !== undefined)
    return complainIf(
      !hasForm(name, wanted),
      problem('TOOL_NAME_WITHOUT_SERVER', { name, prefix: wanted }, { pointer }),
    );
  const taken = [...RESERVED, ...parts.tool_prefixes.values()].find((prefix) => name.startsWith(prefix));
  return taken === undefined ? [] : [problem('TOOL_NAME_RESERVED', { name, prefix: taken }, { pointer })];
}

/** `mcp__memory__search_nodes` */
function hasForm(name: string, prefix: string): boolean {
  const [server = '', ...tool] = name.slice(prefix.length).split('__');
  return name.startsWith(prefix) && server !== '' && tool.join('__') !== '';
}
