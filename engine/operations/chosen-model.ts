import { type Outcome, problem, refuse, succeed } from '../contract/problem.js';
import type { ResponseSource } from '../generated/response-source.js';
import type { Engine } from './engine.js';

/** Refuses a chosen model where no source leaves the name of its model to a variable. */
export async function checkChosenModel(
  { authoring, store }: Pick<Engine, 'authoring' | 'store'>,
  scenario_hash: string,
  model: string | undefined,
): Promise<Outcome<undefined>> {
  if (model === undefined) return succeed(undefined);
  const closure = await store.components.closure('scenario', scenario_hash);
  const sources = closure
    .filter(({ kind }) => kind === 'response_source')
    .map(({ content }) => content as unknown as ResponseSource);
  const models = sources.flatMap((source) => {
    const plugin = authoring.catalogue.plugins.find(({ name }) => name === source.interface.name);
    return plugin?.speaks === 'chat' ? [{ source, field: plugin.manifest.model?.variable_field }] : [];
  });
  if (models.some(({ source, field }) => field !== undefined && source.interface[field] !== undefined))
    return succeed(undefined);
  const [field] = models.flatMap((model) => model.field ?? []);
  const labels = models.map(({ source }) => source.label);
  return refuse(problem('MODEL_NOT_CHOOSABLE', { model, sources: labels, field }));
}
