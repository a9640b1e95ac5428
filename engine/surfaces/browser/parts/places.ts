import type { Entity } from '../../../core/world/world.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import { type Html, html, NOTHING } from '../html.js';
import { pathOfEntity, pathOfTurn } from '../../../catalogue/places.js';
import { count, foldable } from './text.js';

/** How many entities a page shows: the first in the scenario's order. */
const ENTITIES_SHOWN = 20;
/** How many memories of one entity a page shows: the latest. */
const MEMORIES_SHOWN = 5;

/** The first entities of a world by place, with a link to all of them. */
export function drawPlaces({ world_slug, turn, environments, entities }: WorldSnapshot): Html {
  const shown = entities.slice(0, ENTITIES_SHOWN);
  const isCut = shown.length < entities.length;
  const drawn = [...environments, undefined].flatMap((place) => {
    const here = shown.filter(({ environment }) => environment === place?.label);
    const isLeftOut = here.length === 0 && (place === undefined || isCut);
    if (isLeftOut) return [];
    const drawnHere = here.map((entity) => drawEntity(entity, `${pathOfEntity(world_slug, entity.id)}?turn=${turn}`));
    return [drawPlace(place?.label ?? 'Nowhere', place?.content, drawnHere)];
  });
  const all = html`<p class="more"><a href="${pathOfTurn(world_slug, turn)}/entities">All ${count(entities.length)} entities</a></p>`;
  return html`<div class="places">${drawn}</div>${isCut ? all : NOTHING}`;
}

function drawPlace(label: string, content: string | undefined, entities: readonly Html[]): Html {
  return html`<section class="place" aria-label="${label}"><h3>${label}</h3>${content === undefined ? undefined : html`<div class="place-text">${foldable(content)}</div>`}<ul class="entities">${entities}</ul></section>`;
}

function drawEntity({ id, name, kind, state, goal, memory }: Entity, path: string): Html {
  const memories =
    memory.length === 0
      ? NOTHING
      : html`<details><summary>${memory.length} ${memory.length === 1 ? 'memory' : 'memories'}</summary><ol class="memories" start="${Math.max(1, memory.length - MEMORIES_SHOWN + 1)}">${memory.slice(-MEMORIES_SHOWN).map(({ content, turn }) => html`<li>${foldable(content)} <span class="dim">turn ${turn}</span></li>`)}</ol></details>`;
  return html`<li class="entity entity-${kind}" id="entity-${id}"><p><a href="${path}"><strong>${name}</strong></a> <code class="dim">${id}</code></p><div>${foldable(state)}</div>${goal === undefined ? undefined : html`<p class="goal">wants: ${goal}</p>`}${memories}</li>`;
}
