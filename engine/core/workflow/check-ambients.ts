import { type Problem, problem } from '../../contract/problem.js';
import type { Scenario } from '../../generated/scenario.js';
import type { AmbientSourceBinding, CognitionWorkflow } from '../../generated/workflow.js';
import { checkTemplate } from '../binding/check-reads.js';
import { checkRedaction } from '../binding/check-redaction.js';
import { checkRequest } from '../binding/check-requests.js';
import { listPlaceholders } from '../binding/prompt-messages.js';
import { resultShape, type SchemaParts } from '../binding/typed-schemas.js';
import { overlaps, pointerTokens } from '../content/json-pointer.js';
import { nodeTypeOf } from '../nodes/index.js';
import { complainIf, complainOfTwins } from '../protocol/document-problem.js';
import { listReads } from '../protocol/request-template.js';
import { isVisibleTo } from '../protocol/visibility.js';
import { unveil } from '../typing/shape.js';
import { checkEntityExists, checkEnvironmentLabel } from './check-scenario.js';
import type { Readers, Setting } from './readers.js';

/** Checks of a workflow's ambient bindings beyond the schema. */
export function checkAmbients(parts: SchemaParts, setting: Setting, readers: Readers): readonly Problem[] {
  const { scenario, workflow } = setting;
  const ids = workflow.ambient_sources.map(({ id }) => id);
  const complaints = workflow.ambient_sources.flatMap((binding, index) => {
    const pointer = `/ambient_sources/${index}`;
    return [
      ...checkPlace(scenario, binding.scope, `${pointer}/scope`),
      ...checkPlace(scenario, binding.visible_to, `${pointer}/visible_to`),
      ...checkInjection(workflow, binding, index),
      ...checkOncePerTurn(binding, pointer),
      ...checkTemplate(binding.request_template, `${pointer}/request_template`, readers[binding.run]),
      ...checkRequest(parts, binding, pointer, readers[binding.run]),
      ...checkRedaction(binding.redaction.allow, unveil(resultShape(parts, binding)), pointer),
      ...checkSeen(setting, binding, pointer),
    ];
  });
  return [...complainOfTwins('AMBIENT_ID_TWICE', ids, (index) => `/ambient_sources/${index}/id`), ...complaints];
}

function checkPlace(
  scenario: Scenario,
  place: AmbientSourceBinding['scope'] | AmbientSourceBinding['visible_to'],
  pointer: string,
): readonly Problem[] {
  if (typeof place === 'string') return [];
  if ('environment_label' in place)
    return checkEnvironmentLabel(scenario, place.environment_label, `${pointer}/environment_label`);
  return checkEntityExists(scenario, place.entity_id, `${pointer}/entity_id`);
}

function checkInjection(workflow: CognitionWorkflow, binding: AmbientSourceBinding, index: number): readonly Problem[] {
  const pointer = `/ambient_sources/${index}/inject_as`;
  const tokens = pointerTokens(binding.inject_as);
  const { id, inject_as } = binding;
  if (tokens[0] !== 'ambient' || tokens.length < 2)
    return [problem('INJECT_PATH_INVALID', { id, inject_as }, { pointer })];
  const other = workflow.ambient_sources
    .slice(0, index)
    .find((candidate) => overlaps(pointerTokens(candidate.inject_as), tokens));
  if (other === undefined) return [];
  return complainIf(!cannotMeet(other, binding), problem('INJECT_PATHS_OVERLAP', { inject_as, other }, { pointer }));
}

/** No subject can see two readings that are each for another entity, or each for another environment. */
function cannotMeet(left: AmbientSourceBinding, right: AmbientSourceBinding): boolean {
  const [a, b] = [left.visible_to, right.visible_to];
  if (typeof a === 'string' || typeof b === 'string') return false;
  if ('entity_id' in a && 'entity_id' in b) return a.entity_id !== b.entity_id;
  return 'environment_label' in a && 'environment_label' in b && a.environment_label !== b.environment_label;
}

function checkOncePerTurn(binding: AmbientSourceBinding, pointer: string): readonly Problem[] {
  if (binding.run !== 'once_per_turn') return [];
  return (['scope', 'visible_to'] as const)
    .filter((member) => binding[member] === 'acting_subject')
    .map((member) => problem('ONCE_PER_TURN_HAS_NO_SUBJECT', { id: binding.id }, { pointer: `${pointer}/${member}` }));
}

/** Notes a reading that nobody is given, or that nothing shows: it may be intended. */
function checkSeen(setting: Setting, binding: AmbientSourceBinding, pointer: string): readonly Problem[] {
  const listed = new Set(setting.subjects);
  const subjects = setting.scenario.entities.filter(({ id }) => listed.has(id));
  // A place or a subject that is not in the scenario has been reported.
  if (!isPlace(setting, binding.visible_to) || subjects.length < setting.subjects.length) return [];
  const is_given = subjects.some((subject) => isVisibleTo(binding.visible_to, subject));
  const place = is_given ? pointer : `${pointer}/visible_to`;
  return complainIf(
    !is_given || !isRead(setting, binding),
    problem('READING_UNSEEN', { id: binding.id, is_given }, { pointer: place }),
  );
}

function isPlace({ scenario }: Setting, place: AmbientSourceBinding['visible_to']): boolean {
  if (typeof place === 'string') return true;
  if ('entity_id' in place) return scenario.entities.some(({ id }) => id === place.entity_id);
  return scenario.environments.some(({ label }) => label === place.environment_label);
}

/** Whether a prompt shows all readings, or a prompt or a request reads this one, a part of it, or what holds it. */
function isRead({ workflow }: Setting, { id, inject_as }: AmbientSourceBinding): boolean {
  const shown = workflow.nodes.flatMap((node) => listPlaceholders(nodeTypeOf(node).prompts(node), 'ambient.visible'));
  if (shown.some(({ placeholder }) => placeholder.tokens === undefined)) return true;
  const place = pointerTokens(inject_as);
  const templates = [
    ...workflow.nodes.flatMap((node) => nodeTypeOf(node).requestTemplate(node) ?? []),
    ...workflow.ambient_sources.filter((other) => other.id !== id).map((other) => other.request_template),
  ];
  const reads = templates.flatMap((template) => listReads(template).map(({ from }) => pointerTokens(from)));
  const inPrompts = shown.flatMap(({ placeholder }) => (placeholder.tokens ? [placeholder.tokens] : []));
  return [...reads, ...inPrompts].some((tokens) => overlaps(tokens, place));
}
