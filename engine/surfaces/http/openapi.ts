import type { Json, JsonObject } from '../../contract/json.js';
import { PROBLEMS } from '../../contract/problems/index.js';
import { present } from '../../contract/present.js';
import { ANSWER_SCHEMAS } from '../../generated/answer-schemas.js';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { PROBLEM_TYPE, titleOf } from './problem-document.js';
import type { Route, RouteAccess } from './routes/route.js';

/** The version of the interface; it grows where an answer changes. */
export const VERSION = '1.2.0';

/** Describes the routes as an OpenAPI 3.1 document. */
export function toOpenApi(routes: readonly Route[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = (paths[toPath(route.url)] ??= {});
    path[String(route.method).toLowerCase()] = toOperation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chukwa',
      version: VERSION,
      description:
        'The records, and the actions on them. Pages are JSON with format=json, or where the client accepts no HTML. ' +
        'The version is that of this interface, not of the program.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'The problem, by RFC 9457.',
          content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { ...ANSWER_SCHEMAS, Problem: PROBLEM },
    },
  };
}

const toPath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

const namesIn = (url: string): readonly ParameterName[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name]) => name as ParameterName);

function toOperation(route: Route): JsonObject {
  const { url, access, summary, query = [], takes } = route;
  return {
    operationId: toOperationId(route),
    summary,
    security: access === 'anybody' ? [] : [{ token: [] }],
    ...present({ description: WHO[access] }),
    parameters: [
      ...namesIn(url).map((name) => ({ name, in: 'path', required: true, ...PARAMETERS[name] })),
      ...query.map((name) => ({ name, in: 'query', ...PARAMETERS[name] })),
    ],
    ...present({ requestBody: takes && { required: true, content: toContent(takes) } }),
    responses: { ...toResponses(route), default: { $ref: '#/components/responses/Problem' } },
  };
}

const WHO: Partial<Readonly<Record<RouteAccess, string>>> = {
  reporter: 'For holders of the callback URL.',
  actor: 'For operators.',
  command: 'For chukwa commands on the machine of the server.',
  operator_viewer: 'For operators.',
  operator_assistant: 'For operators.',
};

/** `GET /attempts/:attempt_id/source-invocations` as `get_attempts_attempt_id_source_invocations`. */
function toOperationId({ method, url }: Route): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [String(method).toLowerCase(), ...(words.length === 0 ? ['overview'] : words)].join('_');
}

function toResponses({ answers }: Route): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([status, content]) => [
      status,
      {
        description: titleOf(Number(status)),
        ...present({ content: Object.keys(content).length === 0 ? undefined : toContent(content) }),
      },
    ]),
  );
}

function toContent(types: Readonly<Record<string, JsonObject>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));
}

const TEXT = { type: 'string' };

const PROBLEM: JsonObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { const: 'about:blank' },
    title: TEXT,
    status: { type: 'integer' },
    code: { enum: Object.keys(PROBLEMS), description: 'Stable: the same as everywhere else.' },
    detail: TEXT,
    repair: { ...TEXT, description: 'What to do about it.' },
    pointer: { ...TEXT, description: 'The place in the request, as a JSON Pointer (RFC 6901).' },
    problems: { type: 'array', items: { type: 'object' }, description: 'Where there is more than one.' },
  },
};
