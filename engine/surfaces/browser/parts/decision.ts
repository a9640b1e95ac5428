import type { Action, Field as ActionField } from '../../../catalogue/action.js';
import { fillPath } from '../../../catalogue/resource.js';
import { present } from '../../../contract/present.js';
import type { Problem } from '../../../contract/problem.js';
import { type Html, html, NOTHING } from '../html.js';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly control: ActionField<unknown>['control'];
  readonly value?: string | number;
  /** Those of a choice. */
  readonly options?: readonly { readonly value: string; readonly text: string }[];
}

/** A decision that an operator may take, by a form that needs no script. */
export interface Decision {
  /** Its fragment on the page. */
  readonly id: string;
  readonly title: string;
  readonly consequence: string;
  /** The path that the form is posted to. */
  readonly path: string;
  readonly fields: readonly Field[];
  readonly button: string;
}

/**
 * The forms of an action on a page, as decisions.
 * @param keys of what the action is on
 * @param values that its fields hold at first
 * @param options of its choice
 */
export function toDecisions(
  { path, takes, forms }: Pick<Action, 'path' | 'takes' | 'forms'>,
  keys: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | number>> = {},
  options: NonNullable<Field['options']> = [],
): readonly Decision[] {
  return forms.map(({ fields, ...form }) => ({
    ...form,
    path: fillPath(path, keys),
    fields: fields.flatMap((name) => {
      const field = takes[name];
      const value = values[name];
      if (field === undefined) return [];
      const { label, control } = field;
      return [{ name, label, control, ...(control === 'choice' ? { options } : {}), ...present({ value }) }];
    }),
  }));
}

/** A refused form: the values that were sent, and the problem. */
export interface RefusedForm {
  readonly decision: Decision;
  readonly typed: Readonly<Record<string, string>>;
  readonly problem: Problem;
}

/** The field that each of these problems is about; a problem of the whole form is shown above its fields. */
const FIELD_OF: Partial<Record<Problem['code'], string>> = {
  REASON_MISSING: 'reason',
  SCENARIO_DIFFERS: 'scenario',
  TURN_UNKNOWN: 'at_turn',
  WORLD_EXISTS: 'as',
  WORLD_SLUG_INVALID: 'as',
};

/** The fields of a decision; each has a reason, too. */
export function fieldsOf({ fields }: Decision): readonly Field[] {
  return [...fields, { name: 'reason', label: 'Why', control: 'line' }];
}

/** A refused form with what was typed, and the problem beside its field. */
export function drawRefusedForm({ decision, typed, problem }: RefusedForm, form_token: string): Html {
  const named = problem.details?.['field'] ?? FIELD_OF[problem.code];
  const fields = fieldsOf(decision).map((field) => ({
    ...field,
    value: typed[field.name] ?? '',
    ...(field.name === named ? { problem } : {}),
  }));
  const above = fields.some((field) => 'problem' in field) ? NOTHING : drawProblem(problem);
  return html`<div class="decisions">${drawForm(decision, fields, form_token, above)}</div>`;
}

function drawProblem({ code, message, repair, pointer = '' }: Problem, id?: string): Html {
  const name = id === undefined ? NOTHING : html` id="${id}"`;
  const place = pointer === '' ? NOTHING : html`<code>${pointer}</code> `;
  return html`<span class="reason failure" role="alert"${name}>${place}${message} ${repair} <code class="dim">${code}</code></span>`;
}

/** Decisions as forms. @param form_token of the session that reads the page */
export function drawDecisions(decisions: readonly Decision[], form_token: string): Html {
  return html`<div class="decisions">${decisions.map((decision) => drawForm(decision, fieldsOf(decision), form_token))}</div>`;
}

type DrawnField = Field & { readonly problem?: Problem };

function drawForm(
  { id, title, consequence, path, button }: Decision,
  fields: readonly DrawnField[],
  form_token: string,
  head: Html = html`<h3>${title}</h3>`,
): Html {
  return html`<section class="decision" id="${id}" aria-label="${title}">${head}<p>${consequence}</p>
<form method="post" action="${path}"><input type="hidden" name="form_token" value="${form_token}">
${fields.map((field) => drawField(id, field))}
<button type="submit">${button}</button></form></section>`;
}

function drawField(decision: string, { name, label, control, value, problem, options = [] }: DrawnField): Html {
  const id = `${decision}-${name}`;
  const head = html`<label for="${id}">${label}</label>`;
  const wrong = problem === undefined ? NOTHING : drawProblem(problem, `${id}-problem`);
  const points = problem === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="${id}-problem"`;
  if (control === 'json')
    return html`<p class="field">${head}<textarea id="${id}" name="${name}" rows="5" required${points}>${value}</textarea>${wrong}</p>`;
  if (control === 'choice')
    return html`<p class="field">${head}<select id="${id}" name="${name}"${points}>${options.map((one) => html`<option value="${one.value}"${one.value === (value ?? '') ? html` selected` : NOTHING}>${one.text}</option>`)}</select>${wrong}</p>`;
  const type = control === 'whole' ? html` inputmode="numeric" pattern="[0-9]+"` : NOTHING;
  return html`<p class="field field-${control}">${head}<input id="${id}" name="${name}" value="${value}" autocomplete="off" required${type}${points}>${wrong}</p>`;
}
