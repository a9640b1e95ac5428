import { present } from '../../contract/present.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { AvailableTool, CognitionWorkflow, EffectClass, Reference } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { nodeTypeOf } from '../nodes/index.js';
import type { AuthoredNode } from '../nodes/node-type.js';
import type { PolicedCall } from '../policy/policy.js';

type Find = Pick<CompileParts, 'find'>;

/** A binding of a workflow whose source answers with data: of a tool, an ambient source or a source_call node. */
export interface DataBinding {
  /** The id by which a policy names it. */
  readonly id: string;
  readonly effect: EffectClass;
  readonly source_ref: Reference;
  readonly connection?: string;
  /** Of ambient sources. */
  readonly run?: CognitionWorkflow['ambient_sources'][number]['run'];
  /** Of a tool, with the node that offers it. */
  readonly offered?: { readonly tool: AvailableTool; readonly node: AuthoredNode; readonly pointer: string };
}

export function listDataBindings({ ambient_sources, nodes }: CognitionWorkflow): readonly DataBinding[] {
  const calls = nodes.flatMap((node) => (node.type === 'source_call' ? [node] : []));
  const tools = nodes.flatMap((node, at) =>
    nodeTypeOf(node)
      .toolsOffered(node)
      .map((tool, index) => {
        const pointer = `/nodes/${at}/available_tools/${index}`;
        return { ...tool, id: tool.name, offered: { tool, node, pointer } };
      }),
  );
  return [...ambient_sources, ...calls, ...tools];
}

/** The calls of a workflow that need leave, for each of those for whom they are made. */
export function listPoliced(
  parts: Find,
  workflow: CognitionWorkflow,
  subjects: readonly string[],
): readonly PolicedCall[] {
  return listDataBindings(workflow).flatMap(({ id: tool, effect, source_ref, run, offered }) => {
    if (offered === undefined && effect === 'read_only') return [];
    const served = run === 'once_per_turn' ? [undefined] : subjects;
    const source = findSource(parts, source_ref)?.label ?? '';
    return served.map((subject) => present({ tool, effect, source, subject }));
  });
}

export function findSource({ find }: Find, reference: Reference): ResponseSource | undefined {
  return find('response_source', hashOf(reference)) as unknown as ResponseSource | undefined;
}
