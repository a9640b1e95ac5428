import type { Json, JsonObject } from '../../contract/json.js';

// The text of a generation implies its parsed output and its accepted patch. Neither is stored again.

const DERIVED: readonly string[] = ['parsed_output', 'accepted_patch'];

/** Whether an artifact of this kind is derived from the text of its generation. */
export function isDerived(kind: string): boolean {
  return DERIVED.includes(kind);
}

/** A part of a generation's result. */
export interface Artifact extends JsonObject {
  readonly kind: string;
  readonly value: Json;
}

/**
 * The stored artifacts of a generation with those that its text implies, in the order of their making.
 * @param model_output_kind null where the text was not judged
 */
export function withDerived(
  stored: readonly Artifact[],
  {
    normalised_text,
    model_output_kind,
  }: { readonly normalised_text: string | null; readonly model_output_kind: string | null },
): readonly Artifact[] {
  if (normalised_text === null || model_output_kind === null) return stored;
  const value = parse(normalised_text);
  if (value === undefined) return stored;
  const derived: Artifact[] = [{ kind: 'parsed_output', value }];
  if (model_output_kind === 'final_patch')
    derived.push({ kind: 'accepted_patch', value: (value as JsonObject)['patch'] ?? null });
  const errors = stored.filter(({ kind }) => kind === 'error');
  return [...stored.filter(({ kind }) => kind !== 'error'), ...derived, ...errors];
}

/** @returns undefined for a text that is not JSON */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
