import { type Problem, problem } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { LlmToolLoopNode } from '../../generated/workflow.js';
import { hashOf } from '../binding/compile-parts.js';
import { readToolCalling } from '../binding/source-settings.js';
import { findSchema, type SchemaParts } from '../binding/typed-schemas.js';
import { isObject } from '../content/json-pointer.js';
import { listSubschemas } from '../content/subschemas.js';

/** Keywords that providers refuse in the parameters of a tool. */
const REFUSED = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'patternProperties'];

/** The arguments of tools that a model calls natively have to be of the kind that providers take. */
export function checkNativeTools(parts: SchemaParts, node: LlmToolLoopNode, pointer: string): readonly Problem[] {
  if (!isNative(parts, node.llm_source_ref)) return [];
  return node.available_tools.flatMap((tool, index) => {
    const place = { pointer: `${pointer}/available_tools/${index}/arguments_schema_ref` };
    return listRefused(findSchema(parts, tool.arguments_schema_ref) ?? {}).map((found) =>
      problem('ARGUMENTS_NOT_NATIVE', { name: tool.name, ...found }, place),
    );
  });
}

function isNative(parts: SchemaParts, reference: LlmToolLoopNode['llm_source_ref']): boolean {
  const source = parts.find('response_source', hashOf(reference)) as unknown as ResponseSource | undefined;
  const manifest = source && parts.findManifest(source.interface.name);
  return manifest !== undefined && readToolCalling(manifest, source?.interface ?? {}) === 'native';
}

/** Each keyword of a schema that providers refuse, and where. A reference may lead to a definition beside the root. */
function listRefused(schema: JsonObject): readonly { readonly keyword: string; readonly place: string }[] {
  return listSubschemas(schema).flatMap(({ schema: part, pointer: place }) => {
    if (!isObject(part)) return [];
    const { $ref } = part;
    const isComplex = typeof $ref === 'string' && !/^#\/\$defs\/[^/]+$/.test($ref);
    const keywords = [...REFUSED.filter((keyword) => Object.hasOwn(part, keyword)), ...(isComplex ? ['$ref'] : [])];
    return keywords.map((keyword) => ({ keyword, place }));
  });
}
