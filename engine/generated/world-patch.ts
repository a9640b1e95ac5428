// Made by tools/generate-types.ts from schemas/world-patch.schema.json: do not edit, run `npm run generate`.
/** The one thing that changes a world: what happened, told, and its effects in order. */
export interface WorldPatch {
  /** What happened, in a sentence or a few. */
  readonly narration: string;
  readonly effects: readonly (SetEntityState | AppendEntityMemory | SetEnvironmentContent)[];
}
export interface SetEntityState {
  readonly op: 'set_entity_state';
  readonly entity_id: string;
  readonly state: string;
}
export interface AppendEntityMemory {
  readonly op: 'append_entity_memory';
  readonly entity_id: string;
  readonly content: string;
}
export interface SetEnvironmentContent {
  readonly op: 'set_environment_content';
  readonly environment_label: string;
  readonly content: string;
}
