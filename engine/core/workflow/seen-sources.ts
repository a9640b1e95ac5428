import type { ResponseSource } from '../../generated/response-source.js';
import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Scenario } from '../../generated/scenario.js';
import type { CognitionWorkflow, Reference } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { nodeTypeOf } from '../nodes/index.js';

type Find = Pick<CompileParts, 'find'>;

/** The labels of the sources that a workflow's ambient bindings read. */
export function listAmbientSources(parts: Find, { ambient_sources }: CognitionWorkflow): readonly string[] {
  return toLabels(parts, ambient_sources);
}

/** The labels of all sources of a scenario that answer with data: what they said may stand in its world. */
export function listWorldSources(parts: Find, { cognition }: Scenario): readonly string[] {
  const labels = cognition.flatMap(({ profile_ref }) => {
    const profile = parts.find('cognition_profile', hashOf(profile_ref)) as unknown as CognitionProfile | undefined;
    const workflow = profile && parts.find('cognition_workflow', hashOf(profile.workflow_ref));
    return workflow === undefined ? [] : listSources(parts, workflow as unknown as CognitionWorkflow);
  });
  return [...new Set(labels)];
}

function listSources(parts: Find, { ambient_sources, nodes }: CognitionWorkflow): readonly string[] {
  const tools = nodes.flatMap((node) => nodeTypeOf(node).toolsOffered(node));
  const calls = nodes.flatMap((node) => (node.type === 'source_call' ? node : []));
  return toLabels(parts, [...ambient_sources, ...calls, ...tools]);
}

function toLabels({ find }: Find, bindings: readonly { readonly source_ref: Reference }[]): readonly string[] {
  return bindings.flatMap(({ source_ref }) => {
    const source = find('response_source', hashOf(source_ref)) as unknown as ResponseSource | undefined;
    return source === undefined ? [] : [source.label];
  });
}
