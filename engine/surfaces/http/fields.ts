import type { FastifyRequest } from 'fastify';
import type { Action } from '../../catalogue/action.js';
import { fieldInvalid, fromText } from '../../catalogue/read-input.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { isObject } from '../../core/content/json-pointer.js';
import { bodyOf, isForm, readForm, readJson } from './body.js';

/**
 * Reads what a request says to an action: the members of a JSON object, or the fields of a form, which are texts. No body
 * says nothing.
 * @returns a refusal of a form that is none, of what is no JSON object, and of a field that cannot be read
 */
export function readFields(request: FastifyRequest, takes: Action['takes']): Outcome<JsonObject> {
  const bytes = bodyOf(request);
  if (!isForm(request)) {
    if (bytes.length === 0) return succeed({});
    const said = readJson(bytes);
    if (!said.ok) return said;
    return isObject(said.value) ? succeed(said.value) : refuse(problem('BODY_NOT_JSON', { kind: 'no_object' }));
  }
  const form = readTexts(request);
  if (!form.ok) return form;
  const fields: Record<string, Json> = {};
  for (const [name, text] of Object.entries(form.value)) {
    const field = takes[name];
    // A person leaves a field out by leaving it empty.
    if (name === 'form_token' || (field?.is_optional === true && field.control !== 'json' && text.trim() === ''))
      continue;
    const value = field === undefined ? text : fromText(field, text);
    if (value === undefined) return refuse(fieldInvalid(name, field?.wanted ?? ''));
    fields[name] = value;
  }
  return succeed(fields);
}

/** The fields of a form, as a person typed them. */
export function readTexts(request: FastifyRequest): Outcome<Readonly<Record<string, string>>> {
  const form = readForm(bodyOf(request));
  return form.ok ? succeed(Object.fromEntries(form.value)) : form;
}
