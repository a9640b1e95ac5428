import { Argument, Option } from 'commander';
import { type ParameterName, PARAMETERS } from '../../catalogue/parameters.js';
import { type Asked, fillPath, keysOf, type Resource } from '../../catalogue/resource.js';
import type { CommandEntry } from './commands/entry.js';
import { viewLines } from './render/view.js';
import { show } from './session.js';

/** The command of a declared resource: its keys are the arguments, in the order of its path, and what it takes are options. */
export function toCommand(name: string, declared: Resource): CommandEntry {
  const keys = keysOf(declared.path);
  const extras = Object.keys(declared.extras ?? {});
  return {
    name,
    says: declared.says,
    takes: [
      ...keyArguments(keys),
      ...Object.entries(declared.extras ?? {}).map(([name, says]) => new Option(`--${name}`, says)),
      ...declared.takes.map((name) => new Option(`--${name} <${isWhole(name) ? 'n' : name}>`, describe(name))),
    ],
    run(session, ...given: readonly unknown[]) {
      const query = given[keys.length] as Asked['query'];
      const asked = asOperator(Object.fromEntries(keys.map((name, at) => [name, given[at]])), query);
      const forms = {
        lines: (value: Parameters<typeof declared.view>[0]) =>
          viewLines(declared.view(value, asked), ...extras.filter((name) => name in query)),
      };
      return show(session, (archive) => declared.read(archive, asked), forms, toPage(declared, asked));
    },
  };
}

/** The arguments of the keys of a path; the one id of a path is called so. */
export function keyArguments(keys: readonly ParameterName[]): readonly Argument[] {
  return keys.map((key) => new Argument(`<${keys.length === 1 ? key.replace(/^.*_id$/, 'id') : key}>`, describe(key)));
}

/** The page of a server that shows the same. */
function toPage({ path, takes }: Resource, { parameters, query }: Asked): string {
  const said = Object.entries(query).filter(([name]) => takes.some((taken) => taken === name));
  const text = Object.fromEntries(said.map(([name, value]) => [name, value]));
  return `${fillPath(path, parameters)}?${new URLSearchParams(text).toString()}`;
}

/** What the person at the database's own machine asks for, who is its operator. */
export function asOperator(parameters: object = {}, query: Asked['query'] = {}): Asked {
  return { parameters: parameters as Asked['parameters'], query, reader: 'operator' };
}

function isWhole(name: ParameterName): boolean {
  const { schema } = PARAMETERS[name];
  return 'type' in schema && schema.type === 'integer';
}

function describe(name: ParameterName): string {
  const { description } = PARAMETERS[name];
  return `${description.slice(0, 1).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;
}
