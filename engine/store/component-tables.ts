import type { ComponentKind } from '../ports/validation.js';

/** The table that holds the documents of a kind. */
export const COMPONENT_TABLES = {
  json_schema: 'json_schemas',
  prompt_text: 'prompt_texts',
  response_source: 'response_sources',
  tool_policy: 'tool_policies',
  cognition_workflow: 'cognition_workflows',
  cognition_profile: 'cognition_profiles',
  scenario: 'scenarios',
} as const satisfies Record<ComponentKind, string>;
