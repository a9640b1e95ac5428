import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Alarm } from '../../engine/contract/source.js';
import { timerAlarm } from '../../engine/sources/timer-alarm.js';
import { findEntryProblem, importEntry } from '../../engine/sources/import-entry.js';
import { findPlugin } from '../../engine/sources/registry.js';
import { ask, jsonCall, loadManifestCheck, openTestSources, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

async function find(folder: string) {
  const found = await findPlugin(folder, await loadManifestCheck());
  assert.ok(found.ok);
  return found.value;
}

async function importText(context: TestContext, text: string, alarm: Alarm = timerAlarm) {
  const folder = await makeFolder(context);
  await writePlugin(folder, 'tried', text);
  const imported = await importEntry(await find(join(folder, 'tried')), alarm);
  const problem = imported.ok ? undefined : imported.problems[0];
  return { folder, imported, problem };
}

const BROKEN: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
  'throws at import': [
    'throw new Error("cannot begin");',
    /the plugin tried cannot be loaded: .*\/index\.js cannot be imported: cannot begin$/,
  ],
  'throws what is no error': ['throw "a text";', /cannot be imported: a text$/],
  ...Object.fromEntries(
    ['{}', 'null', '"a text"', '{ open: true }', 'undefined'].map((exported) => [
      `exports ${exported}, which has no function open`,
      [
        `export default ${exported};`,
        /the plugin tried cannot be loaded: the default export of .* has no function open$/,
      ],
    ]),
  ),
};

for (const [what, [text, said]] of Object.entries(BROKEN))
  test(`a plugin that ${what} is refused by its name, with the reason`, async (t) => {
    const { problem } = await importText(t, text);
    assert.equal(problem?.code, 'PLUGIN_ENTRY_FAILED');
    assert.match(problem.message, said);
  });

test('a plugin that cannot be parsed is refused with the command that shows the place', async (t) => {
  const { folder, problem } = await importText(t, 'export default { open() {');
  assert.equal(problem?.repair, `This command shows the place: node --check ${join(folder, 'tried', 'index.js')}`);
});

test('a plugin whose modules never finish loading is refused at the deadline', async (t) => {
  const rings: (() => void)[] = [];
  const alarm: Alarm = (_, ring) => {
    rings.push(ring);
    return () => {};
  };
  Object.assign(globalThis, { ringsNow: () => rings.at(-1)?.() });
  t.after(() => Reflect.deleteProperty(globalThis, 'ringsNow'));
  const { problem } = await importText(t, `globalThis.ringsNow(); await new Promise(() => {}); ${GOOD}`, alarm);
  assert.match(problem?.message ?? '', /the plugin tried cannot be loaded: after 10 seconds, .* still awaits/);
});

test('importing a plugin leaves the process, its handlers and the built-ins as they were', async (t) => {
  const { exit } = process;
  const events = ['exit', 'uncaughtException', 'unhandledRejection'] as const;
  const count = () => events.map((event) => process.listenerCount(event));
  const counted = count();
  Object.assign(globalThis, { countNow: count });
  const adds = `export const during = globalThis.countNow(); Array.prototype.chukwaTestOnly = () => during;`;
  t.after(() => {
    Reflect.deleteProperty(globalThis, 'countNow');
    Reflect.deleteProperty(Array.prototype, 'chukwaTestOnly');
  });
  const { imported } = await importText(t, `${adds}\n${GOOD}`);
  assert.equal(imported.ok, true);
  assert.deepEqual((Array.prototype as unknown as { chukwaTestOnly(): unknown }).chukwaTestOnly(), counted);
  assert.equal(process.exit, exit);
  assert.deepEqual(count(), counted);
});

test('a plugin of which only the source is there says that it is not compiled, and what to do', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'raw', GOOD, { entry: './entry.js' });
  await writeFile(join(folder, 'raw', 'entry.ts'), 'export default {};');
  const problem = await findEntryProblem(await find(join(folder, 'raw')), false);
  assert.match(problem?.message ?? '', /raw\/entry\.js is not there, only its TypeScript is/);
  assert.match(problem?.repair ?? '', /npm run build.*dist\/plugins\/NAME/);
});

test('a source whose plugin cannot be imported is unavailable, and the plugin is named with what to do', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'throws', 'throw new Error("cannot begin");');
  const sources = await openTestSources(t, { folders: [folder] });
  assert.deepEqual(sources.catalogue.problems, []);
  const outcome = await ask(sources, jsonCall({}, { name: 'throws' }));
  assert.ok(outcome.status === 'failed');
  assert.equal(outcome.failure_class, 'unavailable');
  assert.match(outcome.failure_message, /the plugin throws cannot be loaded: .*cannot begin.*do nothing at import/);
});

test('a plugin is imported once, when one of its sources is first called', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'counted', `globalThis.importedTimes = (globalThis.importedTimes ?? 0) + 1; ${GOOD}`);
  t.after(() => Reflect.deleteProperty(globalThis, 'importedTimes'));
  const sources = await openTestSources(t, { folders: [folder] });
  assert.equal('importedTimes' in globalThis, false);
  const calls = [1, 2].map(() => ask(sources, jsonCall({}, { name: 'counted' })));
  for (const outcome of await Promise.all(calls)) assert.equal(outcome.status, 'succeeded');
  assert.equal(Reflect.get(globalThis, 'importedTimes'), 1);
});
