import type { Json, JsonObject } from '../../../contract/json.js';
import { isObject } from '../../content/json-pointer.js';
import type { DocumentKind } from './document-kind.js';
import { NOWHERE, toTarget } from './references.js';

/**
 * The sound part of a document with faults of its own, so that they hide none of another: a profile's references, and a
 * source whose interface alone is at fault.
 * @returns undefined where there is none
 */
export function draftOf(kind: DocumentKind | undefined, document: Json | undefined): JsonObject | undefined {
  if (!isObject(document)) return undefined;
  if (kind === 'cognition_profile') return draftOfProfile(document);
  return kind === 'response_source' ? draftOfSource(document) : undefined;
}

/** A policy that is not named well may allow anything. */
function draftOfProfile({ workflow_ref = null, tool_policy_ref = null }: JsonObject): JsonObject | undefined {
  if (toTarget(workflow_ref) === undefined) return undefined;
  const isNamed = toTarget(tool_policy_ref) !== undefined;
  return { version: 1, label: 'draft', workflow_ref, tool_policy_ref: isNamed ? tool_policy_ref : { hash: NOWHERE } };
}

function draftOfSource({ label, interface: authored, request_schema_ref }: JsonObject): JsonObject | undefined {
  if (typeof label !== 'string' || !isObject(authored) || typeof authored['name'] !== 'string') return undefined;
  const draft = { version: 1, label, interface: authored };
  if (request_schema_ref === undefined) return draft;
  return toTarget(request_schema_ref) === undefined ? undefined : { ...draft, request_schema_ref };
}
