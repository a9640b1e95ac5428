import { type Problem, problem } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
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

function findTimeProblems(world: Scenario, next: Scenario): readonly Problem[] {
  return (['start_time', 'chronon_seconds'] as const)
    .filter((field) => world[field] !== next[field])
    .map((field) => {
      const [before, after] = [JSON.stringify(world[field]), JSON.stringify(next[field])];
      return problem('SCENARIO_DIFFERS', { kind: 'time', field, before, after }, { pointer: `/${field}` });
    });
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
  { noun, pointer: list }: { readonly noun: string; readonly pointer: string },
): readonly Problem[] {
  const missing = [...world.keys()]
    .filter((name) => !next.has(name))
    .map((name) => problem('SCENARIO_DIFFERS', { kind: 'missing', noun, name }, { pointer: list }));
  const others = [...next].flatMap(([name, member]) => {
    const pointer = appendToken(list, member.index);
    const before = world.get(name);
    return before === undefined
      ? [problem('SCENARIO_DIFFERS', { kind: 'new', noun, name }, { pointer })]
      : findFieldProblems(name, pointer, [before, member]);
  });
  return [...missing, ...others];
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
    .map((field) => {
      const kind = FIXED.has(field) ? 'shown' : 'without_effect';
      const place = field in after.fields ? appendToken(pointer, field) : pointer;
      return problem('SCENARIO_DIFFERS', { kind, field, name }, { pointer: place });
    });
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalText(value);
}
