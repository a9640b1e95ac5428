import type { Scenario } from '../../generated/scenario.js';
import type { AmbientSourceBinding, CognitionWorkflow } from '../../generated/workflow.js';
import { appendToken, pointerTokens } from '../content/json-pointer.js';
import { checkEntityExists, checkEnvironmentLabel } from './check-scenario.js';
import type { Complaint } from '../protocol/document-problem.js';
import { listMalformedReads, listReads } from '../protocol/request-template.js';

/** What a workflow's ambient bindings say that the schema cannot check. */
export function checkAmbients(scenario: Scenario, workflow: CognitionWorkflow): readonly Complaint[] {
  return workflow.ambient_sources.flatMap((binding, index) => {
    const pointer = `/ambient_sources/${index}`;
    return [
      ...checkId(workflow, binding, index),
      ...checkPlace(scenario, binding.scope, `${pointer}/scope`),
      ...checkPlace(scenario, binding.visible_to, `${pointer}/visible_to`),
      ...checkInjection(workflow, binding, index),
      ...checkOncePerTurn(binding, pointer),
      ...checkTemplate(binding.request_template, `${pointer}/request_template`, readableRoots(binding)),
    ];
  });
}

function checkId(workflow: CognitionWorkflow, binding: AmbientSourceBinding, index: number): readonly Complaint[] {
  const first = workflow.ambient_sources.findIndex((candidate) => candidate.id === binding.id);
  if (first === index) return [];
  return [
    {
      code: 'AMBIENT_ID_TWICE',
      message: `The ambient source ${binding.id} stands here a second time.`,
      pointer: `/ambient_sources/${index}/id`,
      repair: 'Give each ambient source an id of its own.',
    },
  ];
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
  if (other === undefined || cannotMeet(other, binding)) return [];
  return [
    {
      code: 'INJECT_PATHS_OVERLAP',
      message: `${binding.inject_as} overlaps ${other.inject_as} of ${other.id}, and one subject can see both.`,
      pointer,
      repair: 'Give each reading a place of its own.',
    },
  ];
}

function overlaps(left: readonly string[], right: readonly string[]): boolean {
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((token, index) => token === right[index]);
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
      message: `${binding.id} runs once per turn, when nobody acts yet.`,
      pointer: `${pointer}/${member}`,
      repair: 'Let it run before_subject_workflow, or name a world, environment or entity.',
    }));
}

function readableRoots(binding: AmbientSourceBinding): readonly string[] {
  return binding.run === 'once_per_turn' ? ['world'] : ['world', 'subject', 'ambient'];
}

/** Every `$from` of a template must name something that its place can read at all. */
export function checkTemplate(
  template: AmbientSourceBinding['request_template'],
  pointer: string,
  roots: readonly string[],
): readonly Complaint[] {
  const reads = listReads(template).flatMap((read) => {
    const [root = ''] = pointerTokens(read.from);
    if (roots.includes(root)) return [];
    const known = roots.map((name) => `/${name}/...`).join(', ');
    return [
      {
        code: 'TEMPLATE_PATH_UNREADABLE' as const,
        message: `${read.from} cannot be read here.`,
        pointer: appendToken(`${pointer}${read.pointer}`, '$from'),
        repair: `Read one of ${known}.`,
      },
    ];
  });
  const malformed = listMalformedReads(template).map(
    (place): Complaint => ({
      code: 'TEMPLATE_READ_MALFORMED',
      message: '"$from" needs a JSON Pointer, and nothing beside it but "default".',
      pointer: `${pointer}${place}`,
      repair: 'Write {"$from": "/world/attempted_turn"} or the like.',
    }),
  );
  return [...reads, ...malformed];
}
