import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Done } from '../../../operations/engine.js';
import {
  type CreatedPlugin,
  type ConformanceReport,
  createPlugin,
  listPlugins,
  type PluginList,
  testPlugin,
} from '../../../operations/plugins/index.js';
import { toPath } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { conformanceLines, createdLines, pluginLines } from '../render/plugins.js';
import { problemLines } from '../render/problems.js';
import { answer, type Perform, printLines, printRefused, type Session } from '../session.js';

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
  const done = await listFound(session);
  const code = answer(session, done, {
    lines: ({ plugins }) => pluginLines(plugins, session.terminal.working_folder),
  });
  if (done.ok && !session.as_json) printLines(session.terminal.error, problemLines(done.value.problems));
  return code;
}

async function create(session: Session, name: string, into: string): Promise<ExitCode> {
  const found = await listFound(session);
  if (!found.ok) return printRefused(session, found);
  const { working_folder } = session.terminal;
  const { package_root } = session.composition;
  const taken = found.value.plugins.map((plugin) => plugin.name);
  const created = await createPlugin({ name, into: resolve(working_folder, into), taken, package_root });
  return answer(session, created, {
    json: (plugin: CreatedPlugin) => plugin,
    lines: (plugin) => createdLines(plugin, working_folder),
  });
}

async function test(session: Session, dir: string): Promise<ExitCode> {
  const tested = await testNamed(session, dir);
  const code = answer(session, tested, {
    lines: (report) => conformanceLines(report, session.terminal.working_folder),
  });
  return tested.ok && !tested.value.ok ? EXIT.refused : code;
}

/** A folder goes before a name. */
async function testNamed({ composition, terminal }: Session, dir: string): Promise<Done<ConformanceReport>> {
  const workshop = await composition.openWorkshop();
  if (!workshop.ok) return workshop;
  return testPlugin(workshop.value, { asked: dir, path: resolve(terminal.working_folder, dir) });
}

async function listFound({ composition }: Session): Promise<Done<PluginList>> {
  const workshop = await composition.openWorkshop();
  return workshop.ok ? { ok: true, value: listPlugins(workshop.value) } : workshop;
}
