import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { appendToken } from '../../engine/core/content/json-pointer.js';
import { toOpenApi } from '../../engine/surfaces/http/openapi.js';
import { ROUTES } from '../../engine/surfaces/http/routes/index.js';

/** An answer of the server. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** The description of a response in the OpenAPI document. */
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
>;

const document = toOpenApi(ROUTES);
const paths = document['paths'] as unknown as Paths;
const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema({ $id: 'document', ...document });

// Each schema is compiled once: compiling takes far longer than checking an answer.
const compiled = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer);
  if (known !== undefined) return known;
  const validate = ajv.compile({ $ref: `document#${pointer.split('/').map(encodeURIComponent).join('/')}` });
  compiled.set(pointer, validate);
  return validate;
}

/** Holds an answer against what the OpenAPI document has for its path and status. @throws AssertionError for what it has not */
export function assertDocumented(method: string, path: string, { status, type, text }: Answer): void {
  const asked = `${method} ${path}: ${status}`;
  const template = findTemplate(path.replace(/\?.*$/, ''));
  const own = template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
  // A request to no route is answered by a problem, as every route has it.
  const responses = own?.responses ?? { default: { $ref: '#/components/responses/Problem' } };
  const key = responses[status] === undefined ? 'default' : String(status);
  assert.ok(key !== 'default' || status >= 400, `${asked} is not in the document`);
  const place =
    responses[key]?.$ref?.slice(1) ??
    [template ?? '', method.toLowerCase(), 'responses', key].reduce<string>(appendToken, '/paths');
  const media = type.split(';')[0] ?? '';
  const { content } = key === 'default' ? PROBLEM : (responses[key] ?? {});
  if (content === undefined) return assert.equal(text, '', `${asked} has a body that is not in the document`);
  const known = Object.keys(content).find((one) => one.split(';')[0] === media);
  assert.ok(known !== undefined, `${asked} of the type ${type} is not in the document`);
  if (!media.endsWith('json')) return;
  const validate = validatorAt(['content', known, 'schema'].reduce<string>(appendToken, place));
  assert.ok(validate(JSON.parse(text)), `${asked}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`);
}

const PROBLEM = { content: { 'application/problem+json': { schema: {} } } };

const TEMPLATES = Object.keys(paths)
  .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
  .toSorted((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));

function findTemplate(path: string): string | undefined {
  return TEMPLATES.find(({ pattern }) => pattern.test(path))?.template;
}
