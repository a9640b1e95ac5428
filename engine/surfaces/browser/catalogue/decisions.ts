import { CHANGEABLE_SCENARIO_FIELDS } from '../../../contract/changeable-fields.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import type { StoredComponent } from '../../../ports/components.js';
import type { AttemptRecord, InvocationSummary } from '../../../ports/records.js';
import { html } from '../html.js';
import type { Decision } from '../parts/decision.js';
import { words, linkTo, moment } from '../parts/text.js';
import { pathOf } from '../../../catalogue/places.js';
import type { OperatorActionRecord } from '../../../ports/operator-actions.js';
import type { Section } from '../page.js';
import { type Columns, sentences, table } from '../parts/table.js';

interface WorldTurn {
  readonly world_slug: string;
  readonly turn: number;
  readonly offered_scenarios: readonly StoredComponent[];
}

/** The decisions about a world at its latest turn. */
export function decideWorld(world: WorldTurn) {
  return [runTurns(world.world_slug), takeBackTurns(world.world_slug), decideTurn(world)];
}

function runTurns(world_slug: string): Decision {
  return {
    id: 'run-turns',
    title: 'Run turns',
    consequence: html`The turns are put into the queue. This server runs them one after the other, and so does any other worker of this database, each with the models and services of its own environment. Each turn is committed whole, or not at all.`,
    path: `${pathOf('world', world_slug)}/turns`,
    fields: [{ name: 'turns', label: 'How many', kind: 'whole', value: 1 }],
    button: 'Queue them',
  };
}

function takeBackTurns(world_slug: string): Decision {
  return {
    id: 'take-back-turns',
    title: 'Take back queued turns',
    consequence: html`The queued turns that have not begun are removed. A turn that has begun continues.`,
    path: `${pathOf('world', world_slug)}/queue/stop`,
    fields: [],
    button: 'Take them back',
  };
}

/** The decisions about a turn that is over. */
export function decideTurn({ world_slug, turn, offered_scenarios }: WorldTurn): Decision {
  return {
    id: 'fork',
    title: 'Fork',
    consequence: html`This makes a new world. It shares all turns up to the named one, and continues from there. Another scenario may differ from its own in ${CHANGEABLE_SCENARIO_FIELDS} alone. This world does not change, and no call is made.`,
    path: `${pathOf('world', world_slug)}/fork`,
    fields: [
      { name: 'at_turn', label: 'After turn', kind: 'whole', value: turn },
      { name: 'as', label: `Name of the new world, such as ${world_slug}-what-if`, kind: 'line' },
      {
        name: 'scenario',
        label: 'Scenario',
        kind: 'choice',
        options: [OWN_SCENARIO, ...offered_scenarios.map(toOption)],
      },
    ],
    button: 'Fork',
  };
}

const OWN_SCENARIO = { value: '', text: 'the one that this turn had' };

function toOption({ hash, label }: StoredComponent) {
  return { value: hash, text: `${label} (${hash.slice(0, 8)})` };
}

/** The decisions about an attempt. */
export function decideAttempt({ attempt_id, ended_at, attempted_turn }: AttemptRecord): readonly Decision[] {
  if (ended_at !== null) return [];
  return [
    {
      id: 'stop',
      title: 'Stop this attempt',
      consequence: html`The driver of the attempt ends it before its next call. The world stays as it was before turn ${attempted_turn}. Calls that have been made are not undone, and stay on record; the next attempt continues with their answers.`,
      path: `${pathOf('attempt', attempt_id)}/stop`,
      fields: [],
      button: 'Stop it',
    },
  ];
}

/** The decisions about a call: a call in doubt is settled, a pending call is reported. */
export function decideCall(call: InvocationSummary): readonly Decision[] {
  if (isInDoubt(call)) return settle(call);
  return call.status === 'pending' ? report(call) : [];
}

function settle({ source_invocation_id, effect_class, response_json }: InvocationSummary): readonly Decision[] {
  const path = `${pathOf('source_invocation', source_invocation_id)}/settlement`;
  return [
    {
      id: 'performed',
      title: 'It took place',
      consequence: html`The next attempt continues with the answer that you write here, and does not make the call again. The answer has to fit the schema of the source’s answers. If the call did not take place after all, its ${words(effect_class)} is missing.`,
      path,
      fields: [{ name: 'answer', label: 'The answer, as JSON', kind: 'json', value: toText(response_json) }],
      button: 'Settle: it took place',
    },
    {
      id: 'not-performed',
      title: 'It did not take place',
      consequence: html`The next attempt makes the call. If it took place after all, its ${words(effect_class)} happens a second time.`,
      path,
      fields: [],
      button: 'Settle: it did not take place',
    },
  ];
}

function toText(answer: unknown): string {
  return answer === null ? '' : JSON.stringify(answer, null, 2);
}

function report({ source_invocation_id }: InvocationSummary): readonly Decision[] {
  const path = `${pathOf('source_invocation', source_invocation_id)}/report`;
  return [
    {
      id: 'answered',
      title: 'It answered',
      consequence: html`The attempt continues with the answer that you write here. It is checked like any answer of the source. A later report of the service is a duplicate, and changes nothing.`,
      path,
      fields: [{ name: 'answer', label: 'The answer, as JSON', kind: 'json' }],
      button: 'Report the answer',
    },
    {
      id: 'failed',
      title: 'It failed',
      consequence: html`The call fails with your reason as its message. The binding of the call in the workflow says whether the turn continues without the answer, or the attempt fails.`,
      path,
      fields: [],
      button: 'Report the failure',
    },
  ];
}

const columns: Columns<OperatorActionRecord> = {
  What: sentences(({ action, details }) => `${words(action)}${toDetails(details)}`),
  Why: sentences(({ reason }) => reason ?? ''),
  Outcome: sentences(({ outcome }) => outcome ?? 'not known: the server ended meanwhile'),
  By: ({ acted_by, surface }) => `${acted_by}, ${words(surface)}`,
  'When (UTC)': ({ acted_at }) => moment(acted_at),
  Attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
};

function toDetails(details: OperatorActionRecord['details']): string {
  const said = Object.entries(details).map(
    ([name, value]) => `${words(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return said.length === 0 ? '' : `: ${said.join(', ')}`;
}

/** The actions of operators, the latest first. */
export function operatorActions(actions: readonly OperatorActionRecord[]): Section {
  const body = actions.length > 0 && table('What operators did', columns, actions);
  return { id: 'actions', title: 'What operators did', is_about_others: true, body };
}
