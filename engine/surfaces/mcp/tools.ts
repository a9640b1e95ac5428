import type { CallToolResult, ContentBlock, Tool } from '@modelcontextprotocol/server';
import { matchPath, type Resource } from '../../catalogue/resource.js';
import type { JsonObject } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { HttpDesk } from '../../operations/composition.js';
import { mayUse, readAsked } from './asked.js';
import { forTools } from './repairs.js';
import type { Caller, OfferedTool } from './offer.js';
import { toQuerySchema } from './schemas.js';
import { shorten, TEXT_LENGTH_MAX } from './shorten.js';
import { viewText } from './text.js';
import { uriOf } from './uris.js';

/** What the tools need of who serves them. */
export interface ToolDesk extends Pick<HttpDesk, 'look' | 'act' | 'use'> {
  readonly version: string;
  /** Knows the tokens, which no record may keep. */
  readonly holdsToken: (text: string) => boolean;
  /** Consumers are offered only the tools that read. */
  readonly consumers_read_only?: boolean;
}

/** A tool of the catalogue: it is the same for each caller with the same rights, who comes with the request. */
export interface CatalogueTool {
  readonly tool: Tool;
  /** The schema of its answer, by name. */
  readonly gives: string;
  call(desk: ToolDesk, caller: Caller, ...given: Parameters<OfferedTool['call']>): ReturnType<OfferedTool['call']>;
}

/** The tools of the resources that a reader may read. */
export function resourceTools(declared: readonly Resource[], reader: Caller['reader']): readonly CatalogueTool[] {
  const readable = declared.filter((resource) => mayUse(reader, resource.reader));
  const isOpen = (link: string): boolean =>
    readable.some(({ path }) => matchPath(path, link.replace(/[?#].*$/s, '')) !== undefined);
  return readable.flatMap((resource) => {
    const { name, gives } = resource;
    if (name === undefined) return [];
    const call: CatalogueTool['call'] = (desk, _, said) => look(resource, { desk, reader, isOpen }, said);
    return [{ tool: toTool(name, resource), gives, call }];
  });
}

/** The page of a world shows what its tool answers, where a client can show it. */
export const APP_URI = 'ui://chukwa/world';

function toTool(name: string, resource: Resource): Tool {
  return {
    name,
    description: resource.says,
    inputSchema: toQuerySchema(resource),
    annotations: { readOnlyHint: true, openWorldHint: false },
    ...(name === 'get_world' ? { _meta: { ui: { resourceUri: APP_URI } } } : {}),
  };
}

async function look(
  resource: Resource,
  by: Pick<Caller, 'reader'> & { readonly desk: Pick<HttpDesk, 'look'>; readonly isOpen: (link: string) => boolean },
  said: JsonObject,
): Promise<CallToolResult> {
  const { desk, reader, isOpen } = by;
  const asked = readAsked(resource, said, reader);
  if (!asked.ok) return refusal(asked.problems);
  const found = await desk.look((archive) => resource.read(archive, asked.value));
  if (!found.ok) return refusal(found.problems);
  const text = viewText(resource.view(found.value, asked.value), isOpen);
  const size = JSON.stringify(found.value).length;
  const limit = Number(asked.value.query.limit ?? 50);
  // A shorter part of a list says by its cursor where the rest is.
  if (size > TEXT_LENGTH_MAX && resource.takes.includes('limit') && limit > 1)
    return look(resource, by, { ...said, limit: Math.max(1, Math.floor((limit * TEXT_LENGTH_MAX) / size)) });
  return answer(found.value, text, uriOf(resource.path, asked.value));
}

/** The answer of a tool: the value, a text to read, and where the whole is if it is too long. */
export function answer(value: object, text?: string, uri?: string): CallToolResult {
  const shortened = shorten(value);
  const given = shortened?.value ?? value;
  const twin = text === undefined || text.length > TEXT_LENGTH_MAX ? JSON.stringify(given) : text;
  const content: ContentBlock[] = [{ type: 'text', text: twin }];
  if (shortened !== undefined) {
    const rest = uri === undefined ? '' : ` The whole is the resource ${uri}.`;
    content.push({ type: 'text', text: `${shortened.said}${rest}` });
    if (uri !== undefined) content.push({ type: 'resource_link', uri, name: uri, mimeType: 'application/json' });
  }
  return { content, structuredContent: given };
}

/** What a tool refuses: a model reads it, and can repair what it sent. */
export function refusal(problems: readonly Problem[]): CallToolResult {
  const said = problems.map(({ code, message, repair, pointer, location }) =>
    present({ code, message, repair: forTools(repair), pointer, document: location?.file }),
  );
  const [first = {}] = said;
  const text = said
    .map(
      ({ code, message, repair, pointer = '', document = '' }) =>
        `${code}${document + pointer === '' ? '' : ` at ${document}${pointer}`}: ${message.replace(/[^.!?]$/, '$&.')} ${repair}`,
    )
    .join('\n');
  return {
    isError: true,
    content: [{ type: 'text', text: text.slice(0, TEXT_LENGTH_MAX) }],
    structuredContent: said.length > 1 ? { ...first, problems: said.slice(0, 100) } : { ...first },
  };
}
