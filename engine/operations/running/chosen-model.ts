import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { ComponentRecord } from '../../ports/components.js';
import type { Engine } from '../engine.js';

/** Refuses a chosen model where no source of a stored scenario leaves the name of its model to a variable. */
export async function checkChosenModel(
  { authoring, store }: Pick<Engine, 'authoring' | 'store'>,
  scenario_hash: string,
  model: string | undefined,
): Promise<Outcome<undefined>> {
  if (model === undefined) return succeed(undefined);
  return checkModelOf({ authoring }, await store.components.closure('scenario', scenario_hash), model);
}

/** The same, of the documents of one or several scenarios. */
export function checkModelOf(
  { authoring }: Pick<Engine, 'authoring'>,
  documents: Iterable<Pick<ComponentRecord, 'kind' | 'content'>>,
  model: string | undefined,
): Outcome<undefined> {
  if (model === undefined) return succeed(undefined);
  const models = listSources(documents).flatMap((source) => {
    const plugin = authoring.catalogue.plugins.find(({ name }) => name === source.interface.name);
    return plugin?.speaks === 'chat' ? [{ source, field: plugin.manifest.model?.variable_field }] : [];
  });
  if (models.some(({ source, field }) => field !== undefined && source.interface[field] !== undefined))
    return succeed(undefined);
  const [field] = models.flatMap((model) => model.field ?? []);
  const labels = models.map(({ source }) => source.label);
  return refuse(problem('MODEL_NOT_CHOOSABLE', { model, sources: labels, field }));
}

/** The sources among documents. */
export function listSources(documents: Iterable<Pick<ComponentRecord, 'kind' | 'content'>>): readonly ResponseSource[] {
  return [...documents].flatMap(({ kind, content }) =>
    kind === 'response_source' ? [content as unknown as ResponseSource] : [],
  );
}
