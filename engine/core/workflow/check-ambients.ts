import type { Scenario } from '../../generated/scenario.js';
import type { AmbientSourceBinding, CognitionWorkflow } from '../../generated/workflow.js';
import { checkTemplate } from '../binding/check-reads.js';
import { checkRedaction } from '../binding/check-redaction.js';
import { checkRequest } from '../binding/check-requests.js';
import { listPlaceholders } from '../binding/prompt-messages.js';
import { resultShape, type SchemaParts } from '../binding/typed-schemas.js';
import { overlaps, pointerTokens } from '../content/json-pointer.js';
import { nodeTypeOf } from '../nodes/index.js';
import { type Complaint, complainIf, complainOfTwins } from '../protocol/document-problem.js';
import { listReads } from '../protocol/request-template.js';
import { isVisibleTo } from '../protocol/visibility.js';
import { unveil } from '../typing/shape.js';
import { checkEntityExists, checkEnvironmentLabel } from './check-scenario.js';
import type { Readers, Setting } from './readers.js';

/** Checks of a workflow's ambient bindings beyond the schema. */
export function checkAmbients(parts: SchemaParts, setting: Setting, readers: Readers): readonly Complaint[] {
  const { scenario, workflow } = setting;
  const list = { pointer: '/ambient_sources', member: 'id', noun: 'ambient source' } as const;
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
  return [...complainOfTwins('AMBIENT_ID_TWICE', ids, list), ...complaints];
}

function checkPlace(
  scenario: Scenario,
  place: AmbientSourceBinding['scope'] | AmbientSourceBinding['visible_to'],
  pointer: string,
): readonly Complaint[] {
  if (typeof place === 'string') return [];
  if ('environment_label' in place)
    return checkEnvironmentLabel(scenario, place.environment_label, `${pointer}/environment_label`);
  return checkEntityExists(scenario, place.entity_id, `${pointer}/entity_id`);
}

function checkInjection(
  workflow: CognitionWorkflow,
  binding: AmbientSourceBinding,
  index: number,
): readonly Complaint[] {
  const pointer = `/ambient_sources/${index}/inject_as`;
  const tokens = pointerTokens(binding.inject_as);
  if (tokens[0] !== 'ambient' || tokens.length < 2) {
    return [
      {
        code: 'INJECT_PATH_INVALID',
        message: `${JSON.stringify(binding.inject_as)} is not a place under /ambient.`,
        pointer,
        repair: `Write for example "/ambient/${binding.id}".`,
      },
    ];
  }
  const other = workflow.ambient_sources
    .slice(0, index)
    .find((candidate) => overlaps(pointerTokens(candidate.inject_as), tokens));
  if (other === undefined) return [];
  return complainIf(!cannotMeet(other, binding), {
    code: 'INJECT_PATHS_OVERLAP',
    message: `${binding.inject_as} overlaps ${other.inject_as} of ${other.id}, and one subject can see both.`,
    pointer,
    repair: 'Give each reading its own place.',
  });
}

/** No subject can see two readings that are each for another entity, or each for another environment. */
function cannotMeet(left: AmbientSourceBinding, right: AmbientSourceBinding): boolean {
  const [a, b] = [left.visible_to, right.visible_to];
  if (typeof a === 'string' || typeof b === 'string') return false;
  if ('entity_id' in a && 'entity_id' in b) return a.entity_id !== b.entity_id;
  return 'environment_label' in a && 'environment_label' in b && a.environment_label !== b.environment_label;
}

function checkOncePerTurn(binding: AmbientSourceBinding, pointer: string): readonly Complaint[] {
  if (binding.run !== 'once_per_turn') return [];
  return (['scope', 'visible_to'] as const)
    .filter((member) => binding[member] === 'acting_subject')
    .map((member) => ({
      code: 'ONCE_PER_TURN_HAS_NO_SUBJECT',
      message: `${binding.id} runs once per turn, when there is no acting subject yet.`,
      pointer: `${pointer}/${member}`,
      repair: 'Let it run before_subject_workflow, or name a world, environment or entity.',
    }));
}

/** Notes a reading that nobody is given, or that nothing shows: it may be intended. */
function checkSeen(setting: Setting, binding: AmbientSourceBinding, pointer: string): readonly Complaint[] {
  const listed = new Set(setting.subjects);
  const subjects = setting.scenario.entities.filter(({ id }) => listed.has(id));
  // A place or a subject that is not in the scenario has been reported.
  if (!isPlace(setting, binding.visible_to) || subjects.length < setting.subjects.length) return [];
  const isGiven = subjects.some((subject) => isVisibleTo(binding.visible_to, subject));
  return complainIf(!isGiven || !isRead(setting, binding), {
    code: 'READING_UNSEEN',
    message: isGiven
      ? `${binding.id} is read each turn, but no prompt and no request of this workflow uses it.`
      : `${binding.id} is visible to no subject of this workflow.`,
    pointer: `${pointer}${isGiven ? '' : '/visible_to'}`,
    repair: isGiven ? 'Write {{ambient.visible}} into a prompt, or remove it.' : 'Correct "visible_to", or remove it.',
    severity: 'note',
  });
}

function isPlace({ scenario }: Setting, place: AmbientSourceBinding['visible_to']): boolean {
  if (typeof place === 'string') return true;
  if ('entity_id' in place) return scenario.entities.some(({ id }) => id === place.entity_id);
  return scenario.environments.some(({ label }) => label === place.environment_label);
}

/** Whether a prompt shows all readings, or a prompt or a request reads this one, a part of it, or what holds it. */
function isRead({ workflow }: Setting, { id, inject_as }: AmbientSourceBinding): boolean {
  const shown = workflow.nodes.flatMap((node) => listPlaceholders(nodeTypeOf(node).messages(node), 'ambient.visible'));
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
