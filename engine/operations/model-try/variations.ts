import type { JsonObject } from '../../contract/json.js';
import { listDeliveries, readDelivery, type SettingFields } from '../../core/binding/source-settings.js';

/** Settings to be written in place of others; null for one to be taken out. */
export type Changes = JsonObject;

/**
 * Lists what is tried where an answer is not good, in this order; the first is the source as it is written, with what
 * earlier questions have found out. For a question with a schema each way of delivering it is tried as well.
 * @param own what the plugin lists for this question
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
