import { Option } from 'commander';
import { act } from '../../catalogue/act.js';
import type { Action, ActionCommand } from '../../catalogue/action.js';
import { actHereOrThere } from '../../catalogue/here-or-there.js';
import { fieldInvalid, fromText, readInput } from '../../catalogue/read-input.js';
import { keysOf } from '../../catalogue/resource.js';
import type { Json } from '../../contract/json.js';
import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import { personHere } from '../../operations/people/person-here.js';
import type { CommandEntry } from './commands/entry.js';
import { acknowledgementLines } from './render/acknowledgement.js';
import { keyArguments } from './resource-command.js';
import { answer, printRefused } from './session.js';

export function toCommands(declared: Action): readonly CommandEntry[] {
  return (declared.commands ?? []).map((command) => toCommand(declared, command));
}

function toCommand(declared: Action, { name, says = declared.says, given = {} }: ActionCommand): CommandEntry {
  const keys = keysOf(declared.path);
  const asked = Object.entries(declared.takes).filter(([field]) => !(field in given));
  return {
    name,
    says,
    takes: [
      ...keyArguments(keys),
      ...asked.map(([field, { label, wanted, is_optional = false }]) =>
        new Option(`--${toOption(field)} <${field}>`, `${label}: ${wanted}`).makeOptionMandatory(!is_optional),
      ),
      new Option('--reason <text>', 'why; the record keeps it'),
    ],
    async run(session, ...said: readonly unknown[]) {
      const options = said[keys.length] as Readonly<Record<string, string | undefined>>;
      const typed = readTyped(asked, options);
      if (!typed.ok) return printRefused(session, typed);
      const values = {
        ...Object.fromEntries(keys.map((key, at) => [key, said[at] as string])),
        ...given,
        ...typed.value,
      };
      const input = readInput(declared, values);
      if (!input.ok) return printRefused(session, input);
      const { reason } = options;
      const done = await actHereOrThere(session.composition, declared, values, reason, (engine) =>
        act(engine, declared, input.value, personHere(reason)),
      );
      return answer(session, done, { lines: acknowledgementLines });
    },
  };
}

/** Reads what a person typed for the fields of an action. */
function readTyped(
  asked: readonly [string, Action['takes'][string]][],
  options: Readonly<Record<string, string | undefined>>,
): Outcome<Readonly<Record<string, Json>>> {
  const values: Record<string, Json> = {};
  for (const [name, field] of asked) {
    const text = options[toMember(name)];
    if (text === undefined) continue;
    const value = fromText(field, text);
    if (value === undefined) return refuse(fieldInvalid(name, field.wanted));
    values[name] = value;
  }
  return succeed(values);
}

function toOption(field: string): string {
  return field.replaceAll('_', '-');
}

/** The member by which the parser gives an option. */
function toMember(field: string): string {
  return field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
