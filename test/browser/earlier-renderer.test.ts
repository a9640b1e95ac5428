import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compose } from '../../engine/main.js';
import { listAttempts, showAttempt, showLlmCall } from '../../engine/operations/browse/records.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { must, sharedStage } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';

/** Three turns of the park, as renderer 3 recorded them. */
const RECORD = new URL('./park-of-renderer-3.jsonl.gz', import.meta.url);
const open = sharedStage('PostgreSQL');

test('a record of an earlier renderer is shown as it was written, on its pages and at the command line', async (t) => {
  const { engine, variables } = await open();
  const lines = gunzipSync(await readFile(RECORD))
    .toString()
    .trimEnd()
    .split('\n');
  const toStream = async function* () {
    yield* lines;
  };
  const imported = await engine.store.transfer.import(toStream(), () => undefined);
  assert.equal(imported.kind, 'imported', JSON.stringify(imported));
  const server = await startServer(toDesk(engine), TOKENS, { host: '127.0.0.1', port: 0 });
  t.after(() => server.close(0));
  const composition = await compose(variables);
  const readPage = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept: 'text/html' };
    const response = await fetch(`${server.url}${path}`, { headers });
    assert.equal(response.status, 200, path);
    return response.text();
  };
  const readCommand = async (...words: readonly string[]): Promise<string> => {
    const terminal = openTestTerminal();
    assert.equal(await runCommandLine(composition, words, terminal), 0, words.join(' '));
    return terminal.out_text();
  };

  for (const path of ['', '?until=1', '/turns/2', '/diff?from=0&to=3', '/agents', '/attempts'])
    await readPage(`/worlds/park${path}`);
  for (const words of [
    ['world', 'show', 'park'],
    ['world', 'story', 'park'],
    ['agents', 'park'],
    ['attempts', 'park'],
  ])
    assert.ok((await readCommand(...words)).length > 100);
  const corrections = new Set<string>();
  for (const { attempt_id } of must(await listAttempts(engine, 'park')).attempts) {
    const attempt = must(await showAttempt(engine, attempt_id));
    assert.deepEqual([attempt.renderer_version, RENDERER_VERSION > '3'], ['3', true]);
    assert.match(await readPage(`/attempts/${attempt_id}`), /committed/);
    assert.match(await readCommand('attempt', attempt_id), /committed/);
    for (const { agent_turn_id } of attempt.agent_turns) {
      await readPage(`/agent-turns/${agent_turn_id}`);
      await readCommand('agent-turn', agent_turn_id);
    }
    for (const { source_invocation_id, llm_call_id } of attempt.invocations) {
      await readPage(`/source-invocations/${source_invocation_id}`);
      await readCommand('invocation', source_invocation_id);
      if (llm_call_id === null) continue;
      const { messages, raw_text } = must(await showLlmCall(engine, llm_call_id));
      const page = toText(await readPage(`/llm-calls/${llm_call_id}`));
      const printed = await readCommand('llm-call', llm_call_id);
      for (const { content, segments } of messages) {
        assert.equal(
          segments.reduce((sum, { characters }) => sum + characters, 0),
          content.length,
        );
        const [first = ''] = content.split('\n');
        assert.ok(page.includes(first) && printed.includes(first), first);
        if (segments.some(({ origin }) => origin === 'correction')) corrections.add(content);
      }
      assert.ok(page.includes(raw_text), raw_text);
    }
  }
  assert.ok(corrections.size > 0, 'the words of its corrections, which renderer 4 changed');
});

/** What a reader reads of a page. */
function toText(page: string): string {
  const bare = page.replace(/<span class="(?:origin|unseen)">[^<]*<\/span>/g, '').replace(/<[^>]*>/g, '');
  return bare.replace(/&(quot|#39|lt|gt|amp);/g, (whole) => ENTITIES[whole] ?? whole);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};
