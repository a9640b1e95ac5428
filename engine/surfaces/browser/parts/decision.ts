import type { Action, Field as ActionField, Form, Option, Prefilled } from '../../../catalogue/action.js';
import { ACTIONS } from '../../../catalogue/actions.js';
import type { Answers } from '../../../catalogue/answers.js';
import { fillPath } from '../../../catalogue/resource.js';
import { present } from '../../../contract/present.js';
import type { Problem } from '../../../contract/problem.js';
import { type Html, html, NOTHING } from '../html.js';

interface Field extends Pick<ActionField<unknown>, 'label' | 'control' | 'refused_by'> {
  readonly name: string;
  readonly value?: string | number;
  /** Those of a choice. */
  readonly options?: readonly Option[];
}

/** A decision that an operator may take, by a form that needs no script. */
export interface Decision extends Omit<Form, 'fields'> {
  /** The path that the form is posted to. */
  readonly path: string;
  readonly fields: readonly Field[];
}

/** The forms that the page of a resource has, and whether something waits for one. */
export interface Decisions {
  readonly decisions: readonly Decision[];
  readonly is_waiting: boolean;
}

/** The forms of all actions that can be done on what a page shows. */
export function decisionsOn<Kind extends keyof Answers>(gives: Kind, shown: Answers[Kind]): Decisions {
  const offers = ACTIONS.flatMap((action) => {
    const prefilled = action.offered?.[gives]?.(shown);
    return prefilled === undefined ? [] : [{ action, prefilled }];
  });
  return {
    decisions: offers.flatMap(({ action: { path, takes, forms }, prefilled }) =>
      forms.map(({ fields = Object.keys(takes), ...form }) => ({
        ...form,
        path: fillPath(path, shown as Readonly<Record<string, unknown>>),
        fields: fields.map((name) => toField(name, takes[name] as Action['takes'][string], prefilled[name])),
      })),
    ),
    is_waiting: offers.some(({ action }) => action.is_awaited === true),
  };
}

function toField(name: string, field: ActionField<unknown>, held: Prefilled[string] | undefined): Field {
  return { ...field, name, ...present(typeof held === 'object' ? { options: held } : { value: held }) };
}

/** A refused form: the values that were sent, and the problem. */
export interface RefusedForm {
  readonly decision: Decision;
  readonly typed: Readonly<Record<string, string>>;
  readonly problem: Problem;
}

/** The fields of a decision; each has a reason, too. */
export function fieldsOf({ fields }: Decision): readonly Field[] {
  return [...fields, { name: 'reason', label: 'Why', control: 'line', refused_by: ['REASON_MISSING'] }];
}

/** A refused form with what was typed, and the problem beside its field. */
export function drawRefusedForm({ decision, typed, problem }: RefusedForm, form_token: string): Html {
  const fields = fieldsOf(decision).map((field) => ({
    ...field,
    value: typed[field.name] ?? '',
    ...(isAbout(problem, field) ? { problem } : {}),
  }));
  const above = fields.some((field) => 'problem' in field) ? NOTHING : drawProblem(problem);
  return html`<div class="decisions">${drawForm(decision, fields, form_token, above)}</div>`;
}

function isAbout({ code, details }: Problem, { name, refused_by = [] }: Field): boolean {
  const named = details?.['field'];
  return named === undefined ? refused_by.includes(code) : named === name;
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
  { id, title, consequence, path, button, sends = {} }: Decision,
  fields: readonly DrawnField[],
  form_token: string,
  head: Html = html`<h3>${title}</h3>`,
): Html {
  return html`<section class="decision" id="${id}" aria-label="${title}">${head}<p>${consequence}</p>
<form method="post" action="${path}"><input type="hidden" name="form_token" value="${form_token}">${Object.entries(sends).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
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
