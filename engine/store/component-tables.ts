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

export const KINDS = Object.keys(COMPONENT_TABLES) as readonly ComponentKind[];

/** Makes a statement for each kind, of its table. */
export function ofEachKind<Statement>(
  make: (table: (typeof COMPONENT_TABLES)[ComponentKind], kind: ComponentKind) => Statement,
): Readonly<Record<ComponentKind, Statement>> {
  const made = KINDS.map((kind) => [kind, make(COMPONENT_TABLES[kind], kind)] as const);
  return Object.fromEntries(made) as Record<ComponentKind, Statement>;
}
