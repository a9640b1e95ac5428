import type { ResponseSource } from '../../generated/response-source.js';
import type { AvailableTool } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { type Complaint, complainIf } from '../protocol/document-problem.js';

/** Nothing that an author names begins with the first; the second is for tools of servers of the Model Context Protocol. */
const RESERVED = ['core__', 'mcp__'];

/** Checks that the name of a tool names its server, where its plugin requires that, and that no other name does. */
export function checkToolName(
  parts: CompileParts,
  { name, source_ref }: AvailableTool,
  pointer: string,
): readonly Complaint[] {
  const source = parts.find('response_source', hashOf(source_ref)) as unknown as ResponseSource | undefined;
  const wanted = source && parts.tool_prefixes.get(source.interface.name);
  if (wanted !== undefined)
    return complainIf(!hasForm(name, wanted), {
      code: 'TOOL_NAME_WITHOUT_SERVER',
      message: `The name of ${name} lacks the server, which the names of this plugin's tools have to contain.`,
      pointer,
      repair: `Name it ${wanted}SERVER__TOOL, such as ${wanted}server__${name.replace(/^(?:[a-z0-9]+__)?_*/, '')}, here and in the tool policy.`,
    });
  const taken = [...RESERVED, ...parts.tool_prefixes.values()].find((prefix) => name.startsWith(prefix));
  return complainIf(taken !== undefined, {
    code: 'TOOL_NAME_RESERVED',
    message: `${name} begins with ${taken}, which is reserved.`,
    pointer,
    repair: 'Choose a name without the prefix.',
  });
}

/** `mcp__memory__search_nodes` */
function hasForm(name: string, prefix: string): boolean {
  const [server = '', ...tool] = name.slice(prefix.length).split('__');
  return name.startsWith(prefix) && server !== '' && tool.join('__') !== '';
}
