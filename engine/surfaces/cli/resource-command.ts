import { Argument, Option } from 'commander';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { type Commanded, keysOf } from '../../catalogue/resource.js';
import type { CommandEntry } from './commands/entry.js';
import { viewLines } from './render/view.js';
import { show } from './session.js';

/** The command of a declared resource: its keys are the arguments, in the order of its path, and what it takes are options. */
export function toCommand(declared: Commanded): CommandEntry {
  const keys = keysOf(declared.path);
  return {
    name: declared.command,
    says: declared.says,
    takes: [
      ...keys.map((name) => new Argument(`<${name}>`, describe(name))),
      ...declared.takes.map((name) => new Option(`--${name} <${isWhole(name) ? 'n' : name}>`, describe(name))),
    ],
    run(session, ...given: readonly unknown[]) {
      const parameters = Object.fromEntries(keys.map((name, at) => [name, given[at]]));
      const query = given[keys.length] as Readonly<Partial<Record<ParameterName, string>>>;
      // The person at the database's own machine is its operator.
      const asked = {
        parameters: parameters as Readonly<Record<ParameterName, string>>,
        query,
        reader: 'operator',
      } as const;
      return show(session, (archive) => declared.read(archive, asked), {
        lines: (value) => viewLines(declared.view(value, asked)),
      });
    },
  };
}

function isWhole(name: ParameterName): boolean {
  const { schema } = PARAMETERS[name];
  return 'type' in schema && schema.type === 'integer';
}

function describe(name: ParameterName): string {
  const { description } = PARAMETERS[name];
  return `${description.slice(0, 1).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
}
