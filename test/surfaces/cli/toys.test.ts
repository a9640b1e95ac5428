import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../engine/main.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { startLoopbackServer } from '../../../fixtures/toys/loopback-server.js';
import { freePort } from '../../support/free-port.js';
import { openTestTerminal } from './test-terminal.js';

/** Starts the toys, and presses Ctrl-C as soon as they have said where they are. */
async function toys(port_base: number) {
  const terminal = openTestTerminal({ onWrite: (open) => setImmediate(() => open.interrupt()) });
  const words = ['toys', '--script', 'park', '--port-base', String(port_base)];
  const code = await runCommandLine(await compose({}), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** The ports after a free one may be taken: then another is tried. */
async function toysSomewhere(): Promise<readonly [base: number, Awaited<ReturnType<typeof toys>>]> {
  for (let tries = 1; ; tries += 1) {
    const base = await freePort();
    const ended = await toys(base);
    if (ended.code === 0 || tries === 20) return [base, ended];
  }
}

test('toys with a base listen on it and the ports after it, start after start', async () => {
  const [base, { code, out, error }] = await toysSomewhere();
  assert.equal(code, 0, error);
  const ports = [...out.matchAll(/^export (\w+)=http:\/\/127\.0\.0\.1:(\d+)/gm)].map(([, name, port]) => [
    name,
    Number(port) - base,
  ]);
  assert.deepEqual(ports, [
    ['CHUKWA_TOY_WEATHER_URL', 0],
    ['CHUKWA_TOY_PA_URL', 1],
    ['CHUKWA_TOY_PHONE_URL', 2],
    ['CHUKWA_TOY_VENDING_URL', 3],
    ['CHUKWA_TOY_FOUNTAIN_URL', 4],
    ['CHUKWA_TOY_POST_URL', 5],
    ['CHUKWA_TOY_OFFICE_URL', 6],
    ['CHUKWA_TOY_GAMES_URL', 7],
    ['CHUKWA_LLM_BASE_URL', 8],
  ]);
  assert.equal((await toys(base)).out, out);
});

test('a port of another process ends with 4, and is named', async () => {
  const other = await startLoopbackServer(() => {});
  const port = Number(new URL(other.url).port);
  try {
    const { code, error } = await toys(port);
    assert.equal(code, 4);
    assert.match(error, new RegExp(`^error: Port ${port} of 127\\.0\\.0\\.1 is not available`));
    assert.match(error, /PORT_TAKEN/);
  } finally {
    await other.close();
  }
});
