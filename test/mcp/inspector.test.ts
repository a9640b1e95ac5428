import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sharedStage } from '../support/park-stage.js';
import { FIRST_COMPILED } from '../support/program.js';
import { ASSISTED } from './clients.js';

const open = sharedStage('PostgreSQL');
const { resolve } = createRequire(import.meta.url);
const INSPECTOR = join(dirname(resolve('@modelcontextprotocol/inspector-cli/package.json')), 'build/cli.js');

async function inspect(variables: Readonly<Record<string, string>>, words: readonly string[]): Promise<unknown> {
  const server = [process.execPath, ...ASSISTED];
  const text = await new Promise<string>((done, fail) =>
    execFile(
      process.execPath,
      [...FIRST_COMPILED, INSPECTOR, '--cli', ...server, ...words],
      // It looks for its own package from the working folder.
      { cwd: dirname(INSPECTOR), env: { ...process.env, ...variables }, maxBuffer: 1_048_576 },
      (error, out, said) => (error === null ? done(out) : fail(new Error(`${error.message}\n${said}`))),
    ),
  );
  return JSON.parse(text);
}

test('the Inspector lists the tools of the program, and calls one', async () => {
  const { variables, makeWorld } = await open();
  const { world_slug } = await makeWorld({ scenario: 'park' });
  const { tools } = (await inspect(variables, ['--method', 'tools/list'])) as {
    readonly tools: readonly { readonly name: string }[];
  };
  assert.ok(tools.some(({ name }) => name === 'get_world'));
  const called = await inspect(variables, [
    '--method',
    'tools/call',
    '--tool-name',
    'get_world',
    '--tool-arg',
    `world_slug=${world_slug}`,
  ]);
  assert.match(JSON.stringify(called), new RegExp(world_slug));
});
