import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createPlugin, listPlugins, type PluginList, testPlugin } from '../../../operations/plugins/index.js';
import { toPath } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { conformanceLines, createdLines, pluginLines } from '../render/plugins.js';
import { problemLines } from '../render/problems.js';
import { answer, type Perform, printLines, type Session } from '../session.js';

export function addPlugin(program: Command, perform: Perform): void {
  const plugin = program.command('plugin').description('Plugins: list, make, test.');
  plugin
    .command('list')
    .description('List the plugins that are found, and those that are left out with the reason.')
    .action(() => perform(list));
  plugin
    .command('new')
    .argument('<name>', 'lower-case letters, digits and underscores, such as tide_table')
    .option('--into <dir>', 'the folder in which the plugin gets its own', toPath, 'plugins')
    .description('Write a small plugin that is complete: manifest, schema, code, tests, examples.')
    .action((name: string, { into }: { readonly into: string }) => perform((session) => create(session, name, into)));
  plugin
    .command('test')
    .argument('<dir>', "a plugin's folder, or the name of one that is found", toPath)
    .description('Check a plugin against every rule for plugins, with servers that misbehave. Runs its code.')
    .action((dir: string) => perform((session) => test(session, dir)));
}

async function list(session: Session): Promise<ExitCode> {
  const { composition, terminal, as_json } = session;
  const value = listPlugins(await composition.openWorkshop());
  const lines = ({ plugins }: PluginList) => pluginLines(plugins, terminal.working_folder);
  if (!as_json) printLines(terminal.error, problemLines(value.problems));
  return answer(session, { ok: true, value }, { lines });
}

async function create(session: Session, name: string, into: string): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  const { package_root } = session.composition;
  const taken = listPlugins(await session.composition.openWorkshop()).plugins.map((plugin) => plugin.name);
  const created = await createPlugin({ name, into: resolve(working_folder, into), taken, package_root });
  return answer(session, created, { lines: (plugin) => createdLines(plugin, working_folder) });
}

/** A folder is preferred to a name. */
async function test(session: Session, dir: string): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  const workshop = await session.composition.openWorkshop();
  const tested = await testPlugin(workshop, { asked: dir, path: resolve(working_folder, dir) });
  const code = answer(session, tested, { lines: (report) => conformanceLines(report, working_folder) });
  return tested.ok && !tested.value.ok ? EXIT.refused : code;
}
