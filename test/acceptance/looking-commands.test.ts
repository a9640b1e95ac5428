import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { emptyDatabase } from '../support/databases.js';
import { writePlugin } from '../sources/harness.js';
import { askHere, runChukwa, runHere, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { waitUntil } from '../support/wait-until.js';

/** Ids of a world that has run a turn, for commands that look at one. */
interface Ids {
  readonly attempt: string;
  readonly invocation: string;
  readonly llm_call: string;
  readonly agent_turn: string;
  readonly scenario: string;
  /** A folder for what a command writes. */
  readonly out: string;
}

const SCENARIO = 'workflows/tools/scenario.json';

/** Commands that call no source: they import no plugin. A command of neither table fails the first test. */
const LOOKING: Readonly<Record<string, (ids: Ids) => readonly string[]>> = {
  'new world': ({ out }) => ['fresh', '--into', out],
  validate: () => ['workflows/tools'],
  test: () => ['workflows/ambient-weather'],
  put: () => ['workflows/tools'],
  get: ({ scenario }) => ['scenario', scenario],
  list: () => ['scenario'],
  uses: ({ scenario }) => ['scenario', scenario],
  schemas: ({ out }) => ['--write', out],
  'world create': () => ['another', '--scenario', SCENARIO],
  'world list': () => [],
  'world show': () => ['park'],
  'world diff': () => ['park', '0', '1'],
  'world story': () => ['park'],
  'world fork': () => ['park', '--at', '0', '--as', 'forked'],
  'world edit': () => ['park', '--patch', '{"narration": "It rains.", "effects": []}'],
  'world delete': () => ['forked', '--yes'],
  'world export': ({ out }) => ['park', '--out', join(out, 'park.jsonl')],
  'world import': ({ out }) => [join(out, 'result.json')],
  report: ({ invocation, out }) => [invocation, '--result', join(out, 'result.json')],
  stop: ({ attempt }) => [attempt],
  attempts: () => ['park'],
  attempt: ({ attempt }) => [attempt],
  'attempt settle': ({ attempt }) => [attempt, '--not-performed'],
  agents: () => ['park'],
  'agent-turn': ({ agent_turn }) => [agent_turn],
  invocation: ({ invocation }) => [invocation],
  'llm-call': ({ llm_call }) => [llm_call],
  search: () => ['candy'],
  record: ({ attempt, out }) => [attempt, '--out', join(out, 'seen.test.json')],
  'plugin list': () => [],
  'plugin new': ({ out }) => ['fresh', '--into', out],
  'plugin trust': () => ['planted'],
  'connections list': () => [],
  'connections add': () => 'post --kind bearer --origin https://post.example --from PATH'.split(' '),
  'connections remove': () => ['post'],
  'connections test': () => ['post'],
  migrate: () => [],
  doctor: () => [],
  entity: () => ['park', 'bob'],
  knows: () => ['park', 'bob', 'hungry'],
  inbox: () => [],
  invocations: () => ['--world', 'park'],
  'llm-calls': () => ['--subject', 'bob'],
  event: ({ attempt }) => [`${attempt}.1`],
  cost: () => ['park'],
  approve: ({ attempt }) => [attempt],
  deny: ({ attempt }) => [attempt],
  grant: ({ attempt }) => [attempt, '--uses', '1'],
  revoke: ({ attempt }) => [attempt],
  grants: () => [],
  'grants show': ({ attempt }) => [attempt],
  approval: ({ attempt }) => [attempt],
  approvals: () => [],
  'approvals stats': () => [],
  'study plan': () => ['workflows/tools/scenario.json'],
  'study show': () => ['reading'],
  'study list': () => [],
  'study export': ({ out }) => ['reading', '--out', join(out, 'reading')],
  'policy explain': () => ['park', 'bob', 'buy_candy'],
  'memory purge': () => ['park', '--origin', 'source:unheard', '--reason', 'none'],
  orders: ({ attempt }) => [attempt],
  order: () => ['WO-SES-00000000-001'],
  'ledger show': () => ['park'],
  'ledger export': ({ out }) => ['park', '--out', join(out, 'ledger')],
  verify: () => ['park'],
  checkpoint: () => [],
  'evidence bundle': ({ out }) => ['park', '--output', join(out, 'park.json')],
  'evidence proof': ({ out }) => ['park', 'bob', '--output', join(out, 'bob.tlog-proof')],
  'evidence verify': ({ out }) => [join(out, 'park.json')],
};

/** Commands that may call a source. They import the plugins of the sources that they call, and no others. */
const CALLING = [
  'park',
  'run',
  'probe',
  'study audit',
  'study run',
  'worker',
  'serve',
  'plugin test',
  'model try',
  'mcp',
  'mcp tools',
  'mcp diff',
  'toys',
];

/** A plugin that leaves a mark where its code runs, prints the environment, and ends the process. */
const PLANTED = `import { appendFileSync } from 'node:fs';
appendFileSync(new URL('./mark', import.meta.url), 'imported\\n');
console.log('PLANTED', JSON.stringify(process.env));
process.exit(99);
`;

describe('a plugin without calls', { timeout: 600_000 }, () => {
  const opened = makeStage();
  before(() => opened);
  after(async () => (await opened).end());

  test('every command is in one of the two tables', async () => {
    const { stdout } = await runHere(['--help'], {});
    const named = stdout.split('\n').flatMap((line) => /^ {2}([a-z][a-z-]*(?: [a-z]+)*) /.exec(line)?.[1] ?? []);
    assert.deepEqual(named.toSorted(), [...Object.keys(LOOKING), ...CALLING].toSorted());
  });

  for (const [command, words] of Object.entries(LOOKING))
    test(`${command} does not run its code`, async () => {
      const { variables, ids, isMarked } = await opened;
      const { code, stdout, stderr } = await runHere([...command.split(' '), ...words(ids)], variables);
      assert.ok(code !== 99 && code !== 2, `${code} ${stderr}`);
      assert.doesNotMatch(stdout + stderr, /PLANTED/);
      assert.equal(await isMarked(), false);
    });

  test('run and park that call no source of it do not run its code', async () => {
    const { variables, isMarked } = await opened;
    for (const words of [
      ['park', '--turns', '1'],
      ['run', 'park', '--queue'],
    ])
      assert.equal((await runHere(words, variables)).code, 0);
    assert.equal(await isMarked(), false);
  });

  for (const words of [['serve', '--port', '0'], ['worker'], ['toys']])
    test(`${words[0]} that calls no source of it does not run its code`, async (t) => {
      const { variables, isMarked } = await opened;
      const running = startHere(words, { ...variables, ...(await emptyDatabase(t)) });
      await whileRunning(
        running,
        waitUntil(() => running.said() !== ''),
      );
      running.interrupt();
      await running.ended;
      assert.equal(await isMarked(), false);
    });

  test('its own test runs its code', async () => {
    const { variables, isMarked, folder } = await opened;
    assert.equal((await runChukwa(['plugin', 'test', join(folder, 'planted')], variables)).code, 99);
    assert.equal(await isMarked(), true);
  });
});

/** A world that has run a turn, and after that a planted plugin. */
async function makeStage() {
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
  const folder = await makeFolder(context);
  const out = await makeFolder(context);
  const variables = { ...(await emptyDatabase(context)), CHUKWA_PLUGIN_PATH: folder };
  interface Run {
    readonly turns: readonly {
      readonly attempt_id: string;
      readonly invocations: readonly { readonly source_invocation_id: string; readonly llm_call_id?: string }[];
    }[];
  }
  const { turns } = await askHere<Run>(['park', '--turns', '1'], variables);
  const [turn] = turns;
  assert.ok(turn);
  const agents = await askHere<unknown>(['agents', 'park'], variables);
  const listed = await askHere<unknown>(['list', 'scenario'], variables);
  await writeFile(join(out, 'result.json'), '{}');
  await writePlugin(folder, 'planted', PLANTED);
  const ids: Ids = {
    attempt: turn.attempt_id,
    invocation: turn.invocations[0]?.source_invocation_id ?? '',
    llm_call: turn.invocations.find(({ llm_call_id }) => llm_call_id)?.llm_call_id ?? '',
    agent_turn: /"agent_turn_id":\s*"([^"]+)"/.exec(JSON.stringify(agents))?.[1] ?? turn.attempt_id,
    scenario: /[0-9a-f]{64}/.exec(JSON.stringify(listed))?.[0] ?? '',
    out,
  };
  const isMarked = () =>
    readFile(join(folder, 'planted', 'mark')).then(
      () => true,
      () => false,
    );
  return { variables, ids, isMarked, folder, end: async () => Promise.all(ends.map((end) => end())) };
}
