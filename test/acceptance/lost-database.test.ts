import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { compose } from '../../engine/main.js';
import { findLoss } from '../../engine/store/lost-connection.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/scripted-model/index.js';
import { loadScript } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { startPostgres, type TestServer } from '../../tools/postgres-server.js';

describe('a PostgreSQL that goes away in the middle of a run', () => {
  let server: TestServer;
  let model: ScriptedModel;
  let is_gone = false;
  const stop = async (): Promise<void> => {
    if (is_gone) return;
    is_gone = true;
    await server.stop();
  };

  before(async () => {
    [server, model] = await Promise.all([startPostgres(), loadScript('simple').then(startScriptedModel)]);
  });
  after(() => Promise.all([stop(), model.close()]));

  async function chukwa(...words: readonly string[]) {
    const terminal = openTestTerminal();
    const variables = { CHUKWA_DATABASE_URL: server.url('postgres'), CHUKWA_LLM_BASE_URL: model.url };
    const code = await runCommandLine(await compose(variables), words, terminal);
    return { code, out: terminal.out_text(), error: terminal.error_text() };
  }

  test('ends it with 4, tells the last turn that was committed, and how to go on', async () => {
    const made = await chukwa('world', 'create', 'brittle', '--scenario', 'workflows/simple/scenario.json');
    assert.equal(made.code, 0, made.error);
    let asked = 0;
    model.onRequest(async () => {
      asked += 1;
      if (asked === 2) await stop();
    });
    const { code, out, error } = await chukwa('run', 'brittle', '--turns', '3', '--json');
    assert.equal(asked, 2, error);
    assert.equal(code, 4, error);
    const told = error.replaceAll(/\s+/g, ' ');
    assert.match(told, /^error: The connection to the database \(PostgreSQL at .*\/postgres\) was lost: /);
    assert.match(told, /Turn 1 of brittle is the last that is known to be committed\./);
    assert.match(told, /what to do: When the database answers again: chukwa run brittle\./);
    assert.doesNotMatch(told, /UNEXPECTED/);
    const [problem] = (JSON.parse(out) as { readonly problems: readonly { code: string; details: object }[] }).problems;
    assert.equal(problem?.code, 'DATABASE_UNREACHABLE');
    assert.deepEqual(problem?.details, { world_slug: 'brittle', last_committed_turn: 1 });
  });
});

const says = (message: string, more: object): Error => Object.assign(new Error(message), more);

test('what a server that is there has to say is not taken for its loss', () => {
  for (const error of [
    says('duplicate key', { code: '23505' }),
    says('canceling statement due to user request', { code: '57014' }),
    says('no such file', { code: 'ENOENT', syscall: 'open' }),
    new Error('a promise was broken'),
    'text',
  ])
    assert.equal(findLoss(error), undefined);
});

test('a server that sends its clients away, or is not there, is lost', () => {
  for (const error of [
    says('terminating connection due to administrator command.', { code: '57P01' }),
    says('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }),
    new AggregateError([says('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' })]),
    new Error('Connection terminated unexpectedly'),
  ])
    assert.match(findLoss(error) ?? '', /[^.]$/);
});
