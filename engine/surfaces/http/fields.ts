import type { FastifyRequest } from 'fastify';
import type { Json, JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { isObject } from '../../core/content/json-pointer.js';
import { bodyOf, isForm, readForm, readJson } from './body.js';

/** The fields of a form, or the members of a JSON object. */
export type Fields = ReturnType<typeof fieldsOf>;

/** Reads what a request says; no body says nothing. @returns a refusal of a form that is none, and of what is no JSON object */
export function readFields(request: FastifyRequest): Outcome<Fields> {
  const bytes = bodyOf(request);
  if (isForm(request)) {
    const form = readForm(bytes);
    return form.ok ? succeed(fieldsOf(Object.fromEntries(form.value), OF_FORM)) : form;
  }
  if (bytes.length === 0) return succeed(fieldsOf({}, OF_JSON));
  const said = readJson(bytes);
  if (!said.ok) return said;
  return isObject(said.value)
    ? succeed(fieldsOf(said.value, OF_JSON))
    : refuse(problem('BODY_NOT_JSON', { kind: 'no_object' }));
}

/** How values are written: a form has texts alone, and in JSON the text of a number is no number. */
interface Notation {
  /** @returns undefined for what is no number */
  readonly toNumber: (said: Json) => number | undefined;
  readonly toJson: (said: Json) => string;
}

const OF_FORM: Notation = {
  toNumber: (said) => (typeof said === 'string' && /^\d+$/.test(said) ? Number(said) : undefined),
  toJson: String,
};

const OF_JSON: Notation = {
  toNumber: (said) => (typeof said === 'number' ? said : undefined),
  toJson: JSON.stringify,
};

const WHOLE_MAX = 999_999_999;

function fieldsOf(members: JsonObject, { toNumber, toJson }: Notation) {
  return {
    names: Object.keys(members),
    /** All fields, as JSON. */
    whole_text: JSON.stringify(members),
    /** @returns undefined where there is nothing but space */
    text(name: string): string | undefined {
      const said = members[name];
      return typeof said === 'string' && said.trim() !== '' ? said.trim() : undefined;
    },
    /** @returns undefined where there is no whole number */
    whole(name: string): number | undefined {
      const said = toNumber(members[name] ?? null) ?? -1;
      return Number.isInteger(said) && said >= 0 && said <= WHOLE_MAX ? said : undefined;
    },
    /** The text of a JSON value: as a person wrote it into a form, or as a program sent it. */
    json(name: string): string | undefined {
      const said = members[name];
      return said === undefined ? undefined : toJson(said);
    },
  };
}
