import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compose } from '../../../engine/main.js';
import type { Finding } from '../../../engine/operations/documents/index.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const SOUND = fileURLToPath(new URL('../../../fixtures/invalid/sound', import.meta.url));

interface Check {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** Watches a copy of sound documents. */
async function watchSound(t: TestContext) {
  const folder = await makeFolder(t);
  await cp(SOUND, join(folder, 'yard'), { recursive: true });
  const waiting: (() => void)[] = [];
  const terminal = openTestTerminal({
    working_folder: folder,
    onWrite: () => waiting.splice(0).forEach((proceed) => proceed()),
  });
  const ended = runCommandLine(await compose({}), ['validate', 'yard', '--watch', '--json'], terminal);
  return {
    folder: join(folder, 'yard'),
    terminal,
    ended,
    /** The first check from now on that is as is wanted; others may come before it. */
    async check(isWanted: (check: Check) => boolean): Promise<Check> {
      for (;;) {
        const lines = terminal.out_text().trim().split('\n').filter(Boolean);
        const last = lines.at(-1);
        const check = last === undefined ? undefined : (JSON.parse(last) as Check);
        if (check && isWanted(check)) return check;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
  };
}

const codes = ({ findings }: Check): string => findings.map(({ code }) => code).join();

test('validate --watch checks again when a file changes, comes or goes, until Ctrl-C', {
  timeout: 60_000,
}, async (t) => {
  const { folder, terminal, ended, check } = await watchSound(t);
  assert.deepEqual(await check(({ ok }) => ok), { ok: true, findings: [] });
  const source = join(folder, 'machine.json');
  const written = await readFile(source, 'utf8');

  await writeFile(source, written.replace('"version": 1', '"version": 2'));
  assert.equal(codes(await check(({ ok }) => !ok)), 'UNEXPECTED_VALUE');

  // As editors save: another file takes the place of the old one.
  await writeFile(`${source}.new`, written);
  await rename(`${source}.new`, source);
  await check(({ ok }) => ok);

  await mkdir(join(folder, 'more'));
  await writeFile(join(folder, 'more', 'policy.json'), '{');
  assert.equal(codes(await check(({ ok }) => !ok)), 'INVALID_JSON');

  await rm(join(folder, 'more'), { recursive: true });
  await check(({ ok }) => ok);

  terminal.interrupt();
  assert.equal(await ended, 0);
});

test('validate --watch notices changes of files outside of the named one that it refers to', {
  timeout: 60_000,
}, async (t) => {
  const folder = await makeFolder(t);
  await cp(SOUND, join(folder, 'documents'), { recursive: true });
  await mkdir(join(folder, 'scenarios'));
  const scenario = await readFile(join(SOUND, 'scenario.json'), 'utf8');
  await writeFile(join(folder, 'scenarios/s.json'), scenario.replace('./profile', '../documents/profile'));
  const terminal = openTestTerminal({
    working_folder: folder,
    onWrite: (self) => {
      const text = self.out_text();
      if (text.includes('PATH_NEVER_THERE')) self.interrupt();
      else if (text.includes('no problems.')) void misspell(join(folder, 'documents/workflow.json'));
    },
  });
  const code = await runCommandLine(await compose({}), ['validate', 'scenarios/s.json', '--watch'], terminal);
  assert.equal(code, 0);
  assert.match(terminal.out_text(), /documents\/workflow\.json:\d+:\d+ {2}PATH_NEVER_THERE/);
});

test('validate --watch checks again when a prompt file changes', { timeout: 60_000 }, async (t) => {
  const { folder, terminal, ended, check } = await watchSound(t);
  await check(({ ok }) => ok);
  await writeFile(join(folder, 'choose.md'), '{{subject.rendered}}\n');
  await nameFile(join(folder, 'workflow.json'));
  await check(({ ok }) => ok);

  await writeFile(join(folder, 'choose.md'), '{{subject.rendered}}\n\nHow is {{subject.mood}}?\n');
  const { findings } = await check(({ ok }) => !ok);
  assert.deepEqual(
    findings
      .filter(({ severity }) => severity === 'error')
      .map(({ file, line, column, code }) => [file, line, column, code]),
    [['yard/choose.md', 3, 8, 'PROMPT_PLACEHOLDER_UNKNOWN']],
  );

  await rm(join(folder, 'choose.md'));
  assert.equal(codes(await check((checked) => codes(checked).includes('MISSING'))), 'FILE_MISSING');

  terminal.interrupt();
  assert.equal(await ended, 0);
});

/** Puts a file in the place of the first prompt's last message. */
async function nameFile(path: string): Promise<void> {
  const workflow = JSON.parse(await readFile(path, 'utf8')) as {
    readonly nodes: readonly { readonly prompt_template?: { readonly messages: { content: unknown }[] } }[];
  };
  const message = workflow.nodes.find(({ prompt_template }) => prompt_template)?.prompt_template?.messages.at(-1);
  assert.ok(message);
  message.content = { path: './choose.md' };
  await writeFile(path, JSON.stringify(workflow));
}

async function misspell(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('/nodes/choose/output/topic', '/nodes/choose/output/topik'));
}

test('validate counts the documents that it has checked, by that name', async () => {
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(await compose({}), ['validate', SOUND], terminal), 0);
  assert.match(terminal.out_text(), /^\d+ documents checked: /m);
});
