import { succeed } from '../../../contract/problem.js';
import { Argument } from 'commander';
import { resolve } from 'node:path';
import { createPlugin, listPlugins, testPlugin, trustPlugin } from '../../../operations/plugins/index.js';
import { pathOption, toPath } from '../arguments.js';
import { EXIT } from '../exit-code.js';
import { conformanceLines, createdLines, pluginLines, trustedLines } from '../render/plugins.js';
import { problemLines } from '../render/problems.js';
import { answer, printLines } from '../session.js';
import type { CommandEntry } from './entry.js';

export const plugins: readonly CommandEntry[] = [
  { name: 'plugin', says: 'Plugins: list, make, trust, test.' },
  {
    name: 'plugin list',
    says: 'List the plugins that were found, and those that are left out or not trusted, with the reason.',
    async run(session) {
      const { composition, terminal, as_json } = session;
      const value = listPlugins(await composition.openWorkshop());
      if (!as_json) printLines(terminal.error, problemLines(value.problems));
      const lines = () => pluginLines(value.plugins, terminal.working_folder);
      return answer(session, succeed(value), { lines });
    },
  },
  {
    name: 'plugin new',
    says: 'Write a small, complete plugin: manifest, schema, code, tests, examples.',
    takes: [
      new Argument('<name>', 'lower-case letters, digits and underscores, such as tide_table'),
      pathOption('--into <dir>', 'the parent of the new folder').default('plugins'),
    ],
    async run(session, name: string, { into }: { readonly into: string }) {
      const { working_folder } = session.terminal;
      const { package_root } = session.composition;
      const taken = listPlugins(await session.composition.openWorkshop()).plugins.map((plugin) => plugin.name);
      const created = await createPlugin({ name, into: resolve(working_folder, into), taken, package_root });
      return answer(session, created, { lines: (plugin) => createdLines(plugin, working_folder) });
    },
  },
  {
    name: 'plugin trust',
    says: 'Let the code of a plugin of the working folder run, until one of its files changes. Read it first.',
    takes: [new Argument('<dir>', "a plugin's folder, or the name of one that is found").argParser(toPath)],
    async run(session, dir: string) {
      const { working_folder } = session.terminal;
      const { catalogue, user_folder } = await session.composition.openWorkshop();
      const trusted = await trustPlugin(catalogue, { name: dir, path: resolve(working_folder, dir) }, user_folder);
      return answer(session, trusted, { lines: trustedLines });
    },
  },
  {
    name: 'plugin test',
    says: 'Check a plugin against every rule for plugins, with servers that misbehave. Runs its code.',
    takes: [new Argument('<dir>', "a plugin's folder, or the name of one that is found").argParser(toPath)],
    // A folder is preferred to a name.
    async run(session, dir: string) {
      const { working_folder } = session.terminal;
      const workshop = await session.composition.openWorkshop();
      const tested = await testPlugin(workshop, { asked: dir, path: resolve(working_folder, dir) });
      const code = answer(session, tested, { lines: (report) => conformanceLines(report, working_folder) });
      return tested.ok && !tested.value.ok ? EXIT.refused : code;
    },
  },
];
