import type { CognitionProfile } from '../../generated/cognition-profile.js';
import type { Scenario } from '../../generated/scenario.js';
import type { CognitionWorkflow, Reference } from '../../generated/workflow.js';
import { type CompileParts, hashOf } from '../binding/compile-parts.js';
import { findSource, listDataBindings } from './policed-bindings.js';

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
    return workflow === undefined ? [] : toLabels(parts, listDataBindings(workflow as unknown as CognitionWorkflow));
  });
  return [...new Set(labels)];
}

function toLabels(parts: Find, bindings: readonly { readonly source_ref: Reference }[]): readonly string[] {
  return bindings.flatMap(({ source_ref }) => findSource(parts, source_ref)?.label ?? []);
}
