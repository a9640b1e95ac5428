import type { Scenario } from '../../generated/scenario.js';
import type { AmbientSourceBinding, CognitionWorkflow } from '../../generated/workflow.js';
import { pointerTokens } from '../content/json-pointer.js';
import { nodeTypeOf } from '../nodes/index.js';
import { isVisibleTo } from '../protocol/visibility.js';
import type { Reader } from '../typing/join-readings.js';
import { ABSENCE, eitherShape, recordShape, type Shape, schemaShape } from '../typing/shape.js';
import { resultShape, type SchemaParts } from '../binding/typed-schemas.js';

/** The readers at each kind of place of a workflow: one subject's values may be missing for another. */
export interface Readers {
  readonly once_per_turn: readonly Reader[];
  readonly before_subject_workflow: readonly Reader[];
  readonly nodes: readonly Reader[];
}

/** A workflow in the scenario that it runs in, for the subjects that it runs for. */
export interface Setting {
  readonly scenario: Scenario;
  readonly workflow: CognitionWorkflow;
  readonly subjects: readonly string[];
}

const TEXT = schemaShape({ type: 'string' });
const INTEGER = schemaShape({ type: 'integer' });

type Entity = Scenario['entities'][number];

/** The shapes of everything that templates and prompts of a workflow may read. */
export function readersOf(parts: SchemaParts, setting: Setting): Readers {
  const { scenario, workflow } = setting;
  const world = worldShape(scenario);
  const nodes = recordShape(
    workflow.nodes.map(
      (node) => [node.id, recordShape({ output: nodeTypeOf(node).outputShape(parts, node) })] as const,
    ),
  );
  const readings = workflow.ambient_sources.map((binding) => ({ binding, shape: readingShape(parts, binding) }));
  const turnReadings = readings.filter(({ binding }) => binding.run === 'once_per_turn');
  const listed = new Set(setting.subjects);
  const subjects = scenario.entities.filter(({ id }) => listed.has(id));
  const ofSubjects = (given: readonly Reading[], more: Readonly<Record<string, Shape>> = {}): readonly Reader[] =>
    groupByGiven(subjects, given).map(({ entity, subject_ids, given }) => ({
      subject_ids,
      context: recordShape({ world, subject: subjectShape(entity), ambient: ambientShape(given), ...more }),
    }));
  return {
    once_per_turn: [{ subject_ids: [], context: recordShape({ world }) }],
    before_subject_workflow: ofSubjects(turnReadings),
    nodes: ofSubjects(readings, { nodes }),
  };
}

/** A reading that may be absent is one of two. */
function readingShape(parts: SchemaParts, binding: AmbientSourceBinding): Shape {
  const result = resultShape(parts, binding);
  return binding.on_failure === 'inject_absence' ? eitherShape([result, ABSENCE]) : result;
}

function worldShape({ environments, entities }: Scenario): Shape {
  return recordShape({
    slug: TEXT,
    attempted_turn: INTEGER,
    simulation_time: TEXT,
    environments: recordShape(environments.map(({ label }) => [label, recordShape({ content: TEXT })])),
    entities: recordShape(entities.map(({ id }) => [id, recordShape({ state: TEXT })])),
  });
}

function subjectShape({ environment }: Entity): Shape {
  const own = { id: TEXT, name: TEXT, state: TEXT };
  return recordShape(environment === undefined ? own : { ...own, environment: TEXT });
}

interface Reading {
  readonly binding: AmbientSourceBinding;
  readonly shape: Shape;
}

interface Given {
  readonly entity: Entity;
  readonly subject_ids: readonly string[];
  readonly given: readonly Reading[];
}

/** Subjects differ to a template only by the readings that they see, and by standing in an environment or not. */
function groupByGiven(subjects: readonly Entity[], readings: readonly Reading[]): readonly Given[] {
  const groups = new Map<string, Given>();
  for (const entity of subjects) {
    const sees = readings.map(({ binding }) => isVisibleTo(binding.visible_to, entity));
    const key = [entity.environment !== undefined, ...sees].join();
    const group = groups.get(key) ?? { entity, subject_ids: [], given: readings.filter((_, index) => sees[index]) };
    groups.set(key, { ...group, subject_ids: [...group.subject_ids, entity.id] });
  }
  return [...groups.values()];
}

function ambientShape(given: readonly Reading[]): Shape {
  return placeBelow(given.map(({ binding, shape }) => ({ tokens: pointerTokens(binding.inject_as).slice(1), shape })));
}

interface Placed {
  readonly tokens: readonly string[];
  readonly shape: Shape;
}

function placeBelow(placed: readonly Placed[]): Shape {
  const names = new Set(placed.flatMap(({ tokens }) => tokens.slice(0, 1)));
  return recordShape(
    [...names].map((name) => {
      const below = placed
        .filter(({ tokens }) => tokens[0] === name)
        .map(({ tokens, shape }) => ({ tokens: tokens.slice(1), shape }));
      return [name, below.find(({ tokens }) => tokens.length === 0)?.shape ?? placeBelow(below)];
    }),
  );
}
