import { present } from '../../contract/present.js';
import { succeed } from '../../contract/problem.js';
import { COMPONENT_KINDS } from '../../core/protocol/component.js';
import { browseDocument } from '../../operations/browse/documents.js';
import { LIMIT_MAX, readPart } from '../../operations/browse/list-part.js';
import { showUses } from '../../operations/authoring/components.js';
import { showEntityLife } from '../../operations/worlds/entities.js';
import { choice, line, optional, whole } from '../action.js';
import { query } from '../query.js';

const kind = choice('Its kind', COMPONENT_KINDS);
const hash = line('Its hash', 'the SHA-256 of a document, or a unique beginning of it');

const PART = {
  limit: optional(whole('How many rows', `a whole number from 1 to ${LIMIT_MAX}`, { minimum: 1, maximum: LIMIT_MAX })),
  after: optional(line('The "next" of the previous part', 'the "next" of the previous part')),
};

const toPart = ({ limit, after }: { readonly limit?: number; readonly after?: string }) =>
  present({ limit: limit === undefined ? undefined : String(limit), after });

export const listComponents = query({
  name: 'list_components',
  says: 'The stored documents of a kind, by label.',
  gives: 'Documents',
  takes: { kind, ...PART },
  answer: ({ store }, { kind: of, ...part }) =>
    readPart(toPart(part), {
      cursor: 'hash',
      keyOf: (row) => row.hash,
      read: async (wanted) => succeed(await store.browse.documents(of, wanted)),
    }),
});

export const getComponent = query({
  name: 'get_component',
  says: 'A stored document, what it names and what names it.',
  gives: 'Document',
  takes: { kind, hash },
  answer: (engine, name) => browseDocument(engine, name),
});

export const listUsesOf = query({
  name: 'list_uses_of',
  says: 'What a stored document names, and what names it.',
  gives: 'Uses',
  takes: { kind, hash },
  answer: (engine, name) => showUses(engine, name),
});

export const entityHistory = query({
  name: 'entity_history',
  says: 'Each change of an entity of a world, the latest first, with the patch behind it.',
  gives: 'EntityHistory',
  takes: {
    world_slug: line('The world', 'the name of a world'),
    entity_id: line('The entity', 'an entity id (e.g. crumb or plate.crumb); case-insensitive'),
    turn: optional(whole('Until this turn', 'a turn of the world', { minimum: 0 })),
    ...PART,
  },
  async answer(engine, { world_slug, entity_id, turn, ...part }) {
    const life = await showEntityLife(engine, { world_slug, entity_id, ...present({ turn }) }, toPart(part));
    if (!life.ok) return life;
    const { id, history } = life.value;
    return succeed({ world_slug, entity_id: id, ...history });
  },
});
