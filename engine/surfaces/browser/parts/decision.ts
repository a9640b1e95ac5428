import { type Html, html, NOTHING } from '../html.js';

/** What a person may write into a form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'whole' | 'line' | 'json';
  readonly value?: string | number;
}

/** Something that an operator may decide, by a form that needs no script. */
export interface Decision {
  /** Names its place on the page. */
  readonly id: string;
  readonly title: string;
  /** What it lets happen. */
  readonly consequence: Html;
  /** Where the form is sent. */
  readonly path: string;
  readonly fields: readonly Field[];
  readonly button: string;
}

/** Decisions as forms. @param form_token that of the session which looks at the page */
export function drawDecisions(decisions: readonly Decision[], form_token: string): Html {
  return html`<div class="decisions">${decisions.map((decision) => drawDecision(decision, form_token))}</div>`;
}

function drawDecision({ id, title, consequence, path, fields, button }: Decision, form_token: string): Html {
  return html`<section class="decision" id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${title}</h3><p>${consequence}</p>
<form method="post" action="${path}"><input type="hidden" name="form_token" value="${form_token}">
${fields.map((field) => drawField(id, field))}${drawField(id, { name: 'reason', label: 'Why', kind: 'line' })}
<button type="submit">${button}</button></form></section>`;
}

function drawField(decision: string, { name, label, kind, value }: Field): Html {
  const id = `${decision}-${name}`;
  const head = html`<label for="${id}">${label}</label>`;
  if (kind === 'json')
    return html`<p class="field">${head}<textarea id="${id}" name="${name}" rows="5" required>${value}</textarea></p>`;
  const type = kind === 'whole' ? html` inputmode="numeric" pattern="[0-9]+"` : NOTHING;
  return html`<p class="field field-${kind}">${head}<input id="${id}" name="${name}" value="${value}" autocomplete="off" required${type}></p>`;
}
