import { type Problem, problem } from '../../contract/problem.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { AvailableTool } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { readServedName } from '../binding/source-settings.js';
import { complainIf } from '../protocol/document-problem.js';

/** Nothing that an author names begins with the first; the second is for tools of servers of the Model Context Protocol. */
const RESERVED = ['core__', 'mcp__'];

/** Checks that the name of a tool names its server and its tool there, where its plugin has it so, and no other name does. */
export function checkToolName(
  parts: CompileParts,
  { name, source_ref }: AvailableTool,
  pointer: string,
): readonly Problem[] {
  const source = parts.find('response_source', hashOf(source_ref)) as unknown as ResponseSource | undefined;
  const manifest = source && parts.findManifest(source.interface.name);
  if (source !== undefined && manifest?.tool_prefix !== undefined) {
    const wanted = readServedName(manifest, source.interface);
    const isNamed = wanted === undefined ? name.startsWith(manifest.tool_prefix) : name === wanted;
    const facts = { name, wanted: wanted ?? `${manifest.tool_prefix}SERVER__TOOL` };
    return complainIf(!isNamed, problem('TOOL_NAME_WITHOUT_SERVER', facts, { pointer }));
  }
  const taken = [...RESERVED, ...parts.tool_prefixes.values()].find((prefix) => name.startsWith(prefix));
  return taken === undefined ? [] : [problem('TOOL_NAME_RESERVED', { name, prefix: taken }, { pointer })];
}
