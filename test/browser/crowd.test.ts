import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HttpServer } from '../../engine/operations/composition.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { exportPages } from '../../engine/surfaces/browser/export.js';
import { pathOfPatch } from '../../engine/catalogue/places.js';
import { startServer } from '../../engine/surfaces/http/server.js';
import { type Scene, toAnswers, writeScene } from '../../tools/bench/scene.js';
import { makeFolder, onStage } from '../../tools/bench/stage.js';
import { must, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';
import { TOKENS } from '../support/served-park.js';

const AGENTS = 200;
const PAGE_BYTES_MAX = 100_000;

describe('the pages of a world with many agents', () => {
  let stage: ParkStage;
  let server: HttpServer;
  let play: Play;

  before(async () => {
    stage = await openParkStage('PostgreSQL');
    server = await startServer(toDesk(stage.engine), TOKENS, { host: '127.0.0.1', port: 0 });
    play = await playScene('crowd', AGENTS);
  });
  after(async () => {
    await server?.close(0);
    await stage?.close();
  });

  async function playScene(world_slug: string, agents: number): Promise<Play> {
    const places = Array.from({ length: agents }, (_none, index) => `home_${index}`);
    const scene: Scene = { places, execution: 'per_subject_concurrent' };
    const scenario_hash = await onStage(async (documents) => {
      const { folder, scenario: path } = await writeScene(await makeFolder(documents), scene);
      return must(await putScenario(stage.engine, `${folder}/${path}`, { working_folder: folder, root: folder }));
    });
    const world = must(await createWorld(stage.engine, { world_slug, scenario_hash }));
    stage.model.setScript(toAnswers(scene));
    return stage.run(world);
  }

  async function read(path: string, accept: string): Promise<string> {
    const headers = { authorization: `Bearer ${TOKENS.operator_token}`, accept };
    const response = await fetch(`${server.url}${path}`, { headers });
    assert.equal(response.status, 200, path);
    return response.text();
  }

  test('the pages of a world with many agents are small, each of them', async () => {
    const [attempt] = play.attempts;
    assert.equal(attempt?.status, 'committed');
    const { attempt_id, scenario_hash } = attempt;
    for (const path of [
      '/',
      '/worlds/crowd',
      '/worlds/crowd/agents',
      '/worlds/crowd/turns/1',
      '/worlds/crowd/turns/1/patches',
      '/worlds/crowd/turns/1/entities',
      '/worlds/crowd/diff',
      `/attempts/${attempt_id}`,
      `/attempts/${attempt_id}/agent-turns`,
      `/attempts/${attempt_id}/source-invocations`,
      `/scenarios/hash/${scenario_hash}`,
    ]) {
      const bytes = Buffer.byteLength(await read(path, 'text/html'));
      assert.ok(bytes < PAGE_BYTES_MAX, `${path} has ${bytes} bytes`);
    }
  });

  test('lead to the rest, which comes in parts', async () => {
    const attempt_id = play.attempts[0]?.attempt_id;
    for (const [page, list, keyOf] of [
      ['/worlds/crowd', '/worlds/crowd/turns/1/patches', 'patch_seq'],
      ['/worlds/crowd/turns/1', '/worlds/crowd/turns/1/patches', 'patch_seq'],
      ['/worlds/crowd', '/worlds/crowd/turns/1/entities', 'id'],
      [`/attempts/${attempt_id}`, `/attempts/${attempt_id}/agent-turns`, 'agent_turn_id'],
    ] as const) {
      assert.ok((await read(page, 'text/html')).includes(`href="${list}`), `${page} leads to ${list}`);
      assert.equal((await readAll(list, keyOf)).size, AGENTS, list);
    }
  });

  test('draw the calls of forty agents at a time, each with its name, and lead to the others', async () => {
    const drawn = new Set<string>();
    let path: string | undefined = `/attempts/${play.attempts[0]?.attempt_id}`;
    for (let parts = 0; path !== undefined && parts < 10; parts += 1) {
      const page = await read(path, 'text/html');
      for (const [, name = ''] of page.matchAll(/<text [^>]*>(agent_\d+): final patch<\/text>/g)) drawn.add(name);
      path = /href="([^"]+)#timeline">The subjects after these/.exec(page)?.[1];
    }
    // The last parts have too few agents to leave out a line for each name.
    assert.ok(drawn.size >= AGENTS - 12, `${drawn.size} agents`);
  });

  test('lead to a patch within the part of the list that has it', async () => {
    for (const [patch_seq, place] of [
      [25, '#patch-25'],
      [26, '/patches?after=25#patch-26'],
      [AGENTS, '/patches?after=175#patch-200'],
    ] as const) {
      const path = pathOfPatch('crowd', 1, patch_seq);
      assert.equal(path, `/worlds/crowd/turns/1${place}`);
      assert.ok((await read(path, 'text/html')).includes(`id="patch-${patch_seq}"`), path);
    }
  });

  test('hold all patches of an attempt in the file of that attempt alone', async () => {
    const few = await playScene('few', 25);
    const attempt_id = few.attempts[0]?.attempt_id ?? '';
    const { store } = stage.engine;
    let attempts_read = 0;
    const agentTurnsBeside = (id: string) => {
      attempts_read += 1;
      return store.records.agentTurnsBeside(id);
    };
    const counted = { store: { ...store, records: { ...store.records, agentTurnsBeside } } };
    const { text } = must(await exportPages(counted, { world_slug: 'few', attempt_id }));
    assert.equal(text.match(/<p class="eyebrow">Agent turn</g)?.length, 25);
    assert.equal(attempts_read, 1, 'the record of the attempt is read once for the turns of all its agents');
    const patches = [...text.matchAll(/id="page-\d+-patch-(\d+)"/g)].map(([, number]) => number);
    assert.equal(new Set(patches).size, 25);
    assert.equal(patches.length, 25, 'each is drawn once');
  });

  /** The keys of all parts of a list. */
  async function readAll(path: string, keyOf: string): Promise<ReadonlySet<unknown>> {
    const keys = new Set<unknown>();
    for (let next: string | null = ''; next !== null; ) {
      const part: { readonly rows: readonly Record<string, unknown>[]; readonly next: string | null } = JSON.parse(
        await read(`${path}?format=json${next === '' ? '' : `&after=${next}`}`, 'application/json'),
      );
      for (const row of part.rows) keys.add(row[keyOf]);
      next = part.next;
    }
    return keys;
  }
});
