import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { readFileSync } from 'node:fs';
import type { HttpDesk } from '../../operations/composition.js';
import { exportPages } from '../browser/export.js';
import { APP_URI } from './tools.js';

const APP_TYPE = 'text/html;profile=mcp-app';
const PAGE_LENGTH_MAX = 60_000;
const PAGES = 'ui://chukwa/worlds/';

const APP = readFileSync(new URL('app/world.html', import.meta.url), 'utf8');

/** What a client shows beside the answer of `get_world`, which is complete without it. */
export const APP_RESOURCE: Resource = {
  uri: APP_URI,
  name: 'world-page',
  description: 'Shows the page of a world that get_world has read.',
  mimeType: APP_TYPE,
};

/** The page that it shows. */
export const PAGE_TEMPLATE: ResourceTemplateType = {
  uriTemplate: `${PAGES}{world_slug}`,
  name: 'page-of-a-world',
  description: 'The page of a world, as a browser shows it, without scripts.',
  mimeType: 'text/html',
};

/** Reads the app, or a page. @returns undefined for another URI, for an unknown world, and for a page that is too long */
export async function readApp(desk: Pick<HttpDesk, 'look'>, uri: string): Promise<ReadResourceResult | undefined> {
  if (uri === APP_URI) return { contents: [{ uri, mimeType: APP_TYPE, text: APP }] };
  const [, world_slug] = /^ui:\/\/chukwa\/worlds\/([a-z0-9_-]+)$/.exec(uri) ?? [];
  if (world_slug === undefined) return undefined;
  const page = await desk.look((archive) => exportPages(archive, { world_slug }, 1));
  if (!page.ok || page.value.text.length > PAGE_LENGTH_MAX) return undefined;
  return { contents: [{ uri, mimeType: 'text/html', text: page.value.text }] };
}
