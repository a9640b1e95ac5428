import type { FastifyRequest } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { parseJson } from '../../core/content/parse-json.js';
import { type Done, refuse } from '../../operations/engine.js';
import { bodyOf } from './authority.js';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** What a request says: the fields of a form, or the members of a JSON object. */
export interface Fields {
  /** @returns undefined where there is nothing but space */
  text(name: string): string | undefined;
  /** @returns undefined where there is no whole number */
  whole(name: string): number | undefined;
  /** The text of a JSON value: what a person wrote into a form, or what a program sent. */
  json(name: string): string | undefined;
}

/** Whether a request carries a form. */
export function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').startsWith(FORM_TYPE);
}

/** Reads what a request says; no body says nothing. @returns a refusal of a body that is no JSON object */
export function readFields(request: FastifyRequest): Done<Fields> {
  const text = Buffer.from(bodyOf(request)).toString('utf8');
  if (isForm(request))
    return { ok: true, value: fieldsOf(Object.fromEntries(new URLSearchParams(text)), (said) => said) };
  if (text === '') return { ok: true, value: fieldsOf({}, String) };
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    return refuse(NO_OBJECT);
  return { ok: true, value: fieldsOf(parsed.value as Readonly<Record<string, unknown>>, JSON.stringify) };
}

function fieldsOf<Said>(members: Readonly<Record<string, Said>>, toJson: (said: Said) => string): Fields {
  const text = (name: string): string | undefined => {
    const said = members[name];
    return typeof said === 'string' && said.trim() !== '' ? said.trim() : undefined;
  };
  return {
    text,
    whole(name) {
      const said: unknown = members[name] ?? '';
      return /^\d{1,9}$/.test(String(said)) ? Number(said) : undefined;
    },
    json(name) {
      const said = members[name];
      return said === undefined ? undefined : toJson(said);
    },
  };
}

const NO_OBJECT: Problem = {
  code: 'BODY_NOT_JSON',
  message: 'The body is no JSON object.',
  repair: 'Send an object, such as {"reason": "..."}.',
};
