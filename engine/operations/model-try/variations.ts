import type { JsonObject } from '../../contract/json.js';
import { listDeliveries, readDelivery, type SettingFields } from '../../core/binding/source-settings.js';

/** Settings that replace others; null removes one. */
export type Changes = JsonObject;

/**
 * Lists the settings to try after a bad answer, in order; the first is the source with the changes found by earlier
 * questions. A question with a schema is tried with each way of delivering it as well.
 * @param own the plugin's own list for this question
 */
export function listVariations(
  manifest: SettingFields,
  authored: JsonObject,
  {
    found,
    own,
    has_schema,
  }: { readonly found: Changes; readonly own: readonly Changes[]; readonly has_schema: boolean },
): readonly Changes[] {
  const delivery = readDelivery(manifest, authored);
  const deliveries = listDeliveries(manifest)
    .filter((other) => has_schema && other.delivery !== delivery)
    .map(({ changes }) => changes);
  const both = own.flatMap((changes) => deliveries.map((other) => ({ ...changes, ...other })));
  return [found, ...[...own, ...deliveries, ...both].map((changes) => ({ ...found, ...changes }))];
}

export function applyChanges(authored: JsonObject, changes: Changes): JsonObject {
  return Object.fromEntries(Object.entries({ ...authored, ...changes }).filter(([, value]) => value !== null));
}
