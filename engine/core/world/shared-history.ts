import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { CHANGEABLE_SCENARIO_FIELDS } from '../../contract/changeable-fields.js';
import type { Scenario, ScenarioEntity } from '../../generated/scenario.js';
import { canonicalText } from '../content/canonical.js';
import { appendToken } from '../content/json-pointer.js';

/**
 * Finds the obstacles to another scenario for a world, or for a fork of it. Its turns were played in the time and with
 * the roster of its own scenario; so another one may differ from it in `CHANGEABLE_SCENARIO_FIELDS`, and in nothing
 * that those turns have shown already.
 * @returns problems with pointers into `next`
 */
export function findHistoryProblems(world: Scenario, next: Scenario): readonly Problem[] {
  return [
    ...findTimeProblems(world, next),
    ...findListProblems(byLabel(world.environments), byLabel(next.environments), {
      noun: 'environment',
      pointer: '/environments',
    }),
    ...findListProblems(byId(world.entities), byId(next.entities), { noun: 'entity', pointer: '/entities' }),
  ];
}

const CODE = 'SCENARIO_DIFFERS' as const;
const MAY_CHANGE = `Only ${CHANGEABLE_SCENARIO_FIELDS} may change.`;

function findTimeProblems(world: Scenario, next: Scenario): readonly Problem[] {
  return (['start_time', 'chronon_seconds'] as const)
    .filter((field) => world[field] !== next[field])
    .map((field) => ({
      code: CODE,
      message: `${field} is ${JSON.stringify(next[field])}, but the earlier turns were counted with ${JSON.stringify(world[field])}.`,
      pointer: `/${field}`,
      repair: `Leave it as it was: ${JSON.stringify(world[field])}. ${MAY_CHANGE}`,
    }));
}

interface Member {
  readonly index: number;
  readonly fields: Readonly<Record<string, Json>>;
}

type Members = ReadonlyMap<string, Member>;

function byLabel(environments: Scenario['environments']): Members {
  return new Map(environments.map((environment, index) => [environment.label, { index, fields: { ...environment } }]));
}

/** No memories and an empty list of them are the same. */
function byId(entities: readonly ScenarioEntity[]): Members {
  return new Map(
    entities.map((entity, index) => [entity.id, { index, fields: { ...entity, memory: entity.memory ?? [] } }]),
  );
}

function findListProblems(
  world: Members,
  next: Members,
  list: { readonly noun: string; readonly pointer: string },
): readonly Problem[] {
  const missing = [...world.keys()]
    .filter((name) => !next.has(name))
    .map((name) => ({
      code: CODE,
      message: `the ${list.noun} ${name} is missing: the world has it, and it cannot be removed`,
      pointer: list.pointer,
      repair: `Put it back as it was. ${MAY_CHANGE}`,
    }));
  const others = [...next].flatMap(([name, member]) => {
    const pointer = appendToken(list.pointer, member.index);
    const before = world.get(name);
    return before === undefined
      ? [toStranger(list.noun, name, pointer)]
      : findFieldProblems(name, pointer, [before, member]);
  });
  return [...missing, ...others];
}

function toStranger(noun: string, name: string, pointer: string): Problem {
  return {
    code: CODE,
    message: `the ${noun} ${name} is new: no earlier turn has it`,
    pointer,
    repair: `Remove it, or make a new world: chukwa world create SLUG --scenario PATH. ${MAY_CHANGE}`,
  };
}

/** Fields that no turn sets again, so that the world would show them in turns that were played without them. */
const FIXED = new Set(['name', 'kind', 'environment', 'goal']);

function findFieldProblems(
  name: string,
  pointer: string,
  [before, after]: readonly [before: Member, after: Member],
): readonly Problem[] {
  const fields = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])];
  return fields
    .filter((field) => textOf(before.fields[field]) !== textOf(after.fields[field]))
    .map((field) => ({
      code: CODE,
      message: FIXED.has(field)
        ? `${field} of ${name} has changed: the earlier turns were played with the other value`
        : `${field} of ${name} has changed, but without an effect: the world keeps its own value`,
      pointer: field in after.fields ? appendToken(pointer, field) : pointer,
      repair: `Leave it as it was, or make a new world: chukwa world create SLUG --scenario PATH. ${MAY_CHANGE}`,
    }));
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalText(value);
}
