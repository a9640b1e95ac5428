import { present } from '../../contract/present.js';
import { type Outcome, succeed } from '../../contract/problem.js';
import { listAgentsPart } from '../../operations/browse/agents.js';
import { toTurn } from '../../operations/browse/list-part.js';
import { listAttemptsPart, listEntitiesPart, listWorldsPart } from '../../operations/browse/worlds.js';
import type { AttemptFilter } from '../../ports/browse.js';
import { countedList } from '../counted-list.js';
import { type Asked, listResource } from '../resource.js';
import { agentColumns, attemptColumns, entityColumns, NO_WORLDS, worldColumns } from '../tables.js';

export const worldList = listResource({
  name: 'list_worlds',
  path: '/worlds',
  reader: 'consumer',
  says: 'Worlds by name; with a scenario, those that use it or did.',
  gives: 'Worlds',
  takes: ['scenario'],
  cursor: 'name',
  keyOf: ({ world_slug }) => world_slug,
  read: (archive, { query: { scenario } }, part) => listWorldsPart(archive, part, scenario),
  title: 'Worlds',
  order: 'By name',
  columns: worldColumns,
  empty: NO_WORLDS,
});

export const worldAttempts = countedList({
  name: 'list_attempts',
  path: '/worlds/:world_slug/attempts',
  reader: 'consumer',
  says: 'The attempts of a world, the latest first; by state, turn and failure.',
  gives: 'Attempts',
  filters: ['state', 'turn', 'failure'],
  cursor: 'id',
  keyOf: ({ attempt_id }) => attempt_id,
  async read(archive, asked, part) {
    const filter = toFilter(asked);
    if (!filter.ok) return filter;
    return listAttemptsPart(archive, { ...part, ...filter.value, ...present({ status: asked.query.state }) });
  },
  async count({ store }, asked, seen) {
    const filter = toFilter(asked);
    return filter.ok ? store.browse.attemptStatuses({ ...filter.value, seen }) : [];
  },
  title: ({ parameters: { world_slug } }) => `Attempts of ${world_slug}`,
  order: 'The latest first',
  columns: attemptColumns,
  empty: 'Nothing has been tried yet.',
});

/** The filter that a query says, but for the state. */
function toFilter({ parameters: { world_slug }, query: { turn: of, failure } }: Asked): Outcome<AttemptFilter> {
  const at = toTurn(of);
  return at.ok ? succeed({ world_slug, ...present({ turn: at.value, failure_class: failure }) }) : at;
}

export const worldAgents = listResource({
  name: 'list_agents',
  path: '/worlds/:world_slug/agents',
  reader: 'consumer',
  says: 'The agents of a world by name, and what each of them does just now.',
  gives: 'Agents',
  cursor: 'name',
  keyOf: ({ agent_id }) => agent_id,
  read: (archive, { parameters: { world_slug } }, part) => listAgentsPart(archive, world_slug, part),
  title: ({ parameters: { world_slug } }) => `Agents of ${world_slug}`,
  order: 'What each of them does just now',
  columns: ({ parameters: { world_slug } }) => agentColumns(world_slug),
  empty: 'This world has no agents.',
});

export const turnEntities = listResource({
  path: '/worlds/:world_slug/turns/:turn/entities',
  reader: 'consumer',
  says: 'The entities of a world as they were at the end of a turn, by id.',
  gives: 'Entities',
  cursor: 'name',
  keyOf: ({ id }) => id,
  read: (archive, { parameters: { world_slug, turn: at } }, part) =>
    listEntitiesPart(archive, { world_slug, turn: at }, part),
  title: ({ parameters: { world_slug, turn: at } }) => `Entities at the end of turn ${at} of ${world_slug}`,
  order: 'By id',
  columns: entityColumns,
  empty: 'This world has no entities.',
});
