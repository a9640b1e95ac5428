import { unreachable } from '../../contract/unreachable.js';
import { nearestFirst } from '../content/nearest-name.js';
import { quoteName } from '../prompt/quote.js';
import { normaliseEntityId } from './entity-id.js';
import type { Projected } from './projection.js';
import type { Entity, World } from './world.js';
import type { WorldEffect, WorldPatch } from './world-patch.js';

/** How many names a roster shows before it says how many more there are. */
const ROSTER_MAX = 50;

/** What exactly the live world finds wrong with a patch. */
export type PatchFault =
  | 'disallowed_effect'
  | 'unknown_entity'
  | 'near_miss_entity'
  | 'memory_on_prop'
  | 'unknown_environment';

/** The part of the world that a node's patches may touch: its subject, what the subject perceives, or anything. */
export type Reach = 'self' | 'perceived' | 'any';

/** A member that is left out means `any`. For environments, `self` means the subject's own. */
export interface PatchReach {
  readonly state?: Reach;
  readonly memory?: Reach;
  readonly environment?: Reach;
}

/** One thing that the live world finds wrong with a patch, said so that a model can act on it. */
export interface PatchComplaint {
  readonly detail: PatchFault;
  readonly message: string;
}

/** Whose patch is judged. */
export interface Patcher {
  readonly subject: Entity;
  /** What the subject may see: rosters name nothing else. */
  readonly projected: Projected;
  /** What its patches may touch. */
  readonly may: PatchReach;
}

/** Everything that only the live working world can find wrong with a patch of valid shape. */
export function findPatchComplaints(world: World, patcher: Patcher, patch: WorldPatch): readonly PatchComplaint[] {
  return patch.effects.flatMap((effect, index) => {
    const place = `effects[${index}]`;
    return findEffectComplaint(world, patcher.projected, effect, place) ?? findBreach(patcher, effect, place) ?? [];
  });
}

function findEffectComplaint(
  world: World,
  projected: Projected,
  effect: WorldEffect,
  place: string,
): PatchComplaint | undefined {
  switch (effect.op) {
    case 'set_entity_state':
      return findEntityComplaint(world, projected, effect.entity_id, place);
    case 'append_entity_memory':
      return (
        findEntityComplaint(world, projected, effect.entity_id, place) ??
        findMemoryComplaint(world, projected, effect.entity_id, place)
      );
    case 'set_environment_content':
      return findEnvironmentComplaint(world, projected, effect.environment_label, place);
    default:
      return unreachable(effect);
  }
}

/** What an effect touches that the node's `may` keeps from it. What it names is known to exist. */
function findBreach(
  { subject, projected, may }: Patcher,
  effect: WorldEffect,
  place: string,
): PatchComplaint | undefined {
  switch (effect.op) {
    case 'set_entity_state':
    case 'append_entity_memory': {
      const isState = effect.op === 'set_entity_state';
      const seen = projected.entities.filter(({ kind }) => isState || kind === 'agent');
      const reached = within(isState ? may.state : may.memory, [[subject.id, subject.name]], toNames(seen));
      return breach(reached, effect.entity_id, `${place}: ${effect.op} of entity_id`);
    }
    case 'set_environment_content': {
      const own: Names = subject.environment === undefined ? [] : [[subject.environment, '']];
      const reached = within(may.environment, own, toPlaces(projected));
      return breach(reached, effect.environment_label, `${place}: ${effect.op} of environment_label`);
    }
    default:
      return unreachable(effect);
  }
}

type Names = readonly (readonly [id: string, name: string])[];

/** What may be touched; undefined where anything may. */
function within(reach: Reach = 'any', self: Names, perceived: Names): ReadonlyMap<string, string> | undefined {
  return reach === 'any' ? undefined : new Map(reach === 'self' ? self : perceived);
}

function breach(
  reached: ReadonlyMap<string, string> | undefined,
  touched: string,
  what: string,
): PatchComplaint | undefined {
  if (reached === undefined || reached.has(touched)) return undefined;
  const message = `${what} ${JSON.stringify(touched)}, which is not allowed here. Allowed are:\n${renderRoster(touched, reached)}`;
  return { detail: 'disallowed_effect', message };
}

function findEntityComplaint(
  world: World,
  projected: Projected,
  entityId: string,
  place: string,
): PatchComplaint | undefined {
  if (world.entities.has(entityId)) return undefined;
  const named = `${place}.entity_id ${JSON.stringify(entityId)}`;
  const roster = `Entity ids that exist here:\n${renderRoster(entityId, new Map(toNames(projected.entities)))}`;
  const normalised = normaliseEntityId(entityId);
  if (!normalised.ok) {
    return { detail: 'unknown_entity', message: `${named} is not a valid entity id: ${normalised.reason}. ${roster}` };
  }
  if (world.entities.has(normalised.id)) {
    return {
      detail: 'near_miss_entity',
      message: `${named} must be written exactly as ${JSON.stringify(normalised.id)}. ${roster}`,
    };
  }
  return {
    detail: 'unknown_entity',
    message: `${named} (canonical form ${JSON.stringify(normalised.id)}) names no entity of this world. ${roster}`,
  };
}

function findMemoryComplaint(
  world: World,
  projected: Projected,
  entityId: string,
  place: string,
): PatchComplaint | undefined {
  if (world.entities.get(entityId)?.kind === 'agent') return undefined;
  const agents = new Map(toNames(projected.entities.filter(({ kind }) => kind === 'agent')));
  return {
    detail: 'memory_on_prop',
    message: `${place} appends a memory to ${JSON.stringify(entityId)}, which is a prop; only agents remember. Agents that exist here:\n${renderRoster(entityId, agents)}`,
  };
}

function findEnvironmentComplaint(
  world: World,
  projected: Projected,
  label: string,
  place: string,
): PatchComplaint | undefined {
  if (world.environments.has(label)) return undefined;
  const labels = new Map(toPlaces(projected));
  return {
    detail: 'unknown_environment',
    message: `${place}.environment_label ${JSON.stringify(label)} names no environment of this world. Environments that exist here:\n${renderRoster(label, labels)}`,
  };
}

function toNames(entities: readonly Entity[]): Names {
  return entities.map(({ id, name }) => [id, name]);
}

function toPlaces({ environments }: Projected): Names {
  return environments.map(({ label }) => [label, '']);
}

/** Names nearest to what was written first, at most `ROSTER_MAX`. */
function renderRoster(written: string, names: ReadonlyMap<string, string>): string {
  const ordered = nearestFirst(written, [...names.keys()]);
  const lines = ordered.slice(0, ROSTER_MAX).map((id) => {
    const name = names.get(id);
    return name ? `- ${id} (${quoteName(name)})` : `- ${id}`;
  });
  const more = ordered.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : []), ...(ordered.length === 0 ? ['- none'] : [])].join(
    '\n',
  );
}
