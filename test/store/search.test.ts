import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { search } from '../../engine/operations/browse/search.js';
import type { Found, WantedSearch } from '../../engine/operations/browse/search.js';
import type { Store } from '../../engine/store/open-store.js';
import type { SearchHit } from '../../engine/ports/search.js';
import { must, openParkStage, type ParkStage, type Play } from '../support/park-stage.js';

/** What is asked, the text that has it, and what is marked in that text. */
const IN_EVERY_SCRIPT = [
  ['灯塔', '李明点亮了灯塔的灯', '灯塔'],
  ['起雾', '海上起雾了', '起雾'],
  ['守', '守', '守'],
  ['北京大学', '他在北京大学里', '北京大学'],
  ['東京', '昨日、東京へ行った', '東京'],
  ['カーテン', '窓のｶｰﾃﾝが揺れる', 'ｶｰﾃﾝ'],
  ['หมอก', 'ประภาคารสว่างในหมอก', 'หมอก'],
  ['등대', '등대를 보았다', '등대'],
  ['바다', '바다로 간다'.normalize('NFD'), '바다'.normalize('NFD')],
  ['🔥', 'A fire🔥burns', '🔥'],
  ['👍', 'Well done 👍🏽', '👍🏽'],
  ['🇩🇪', 'A flag 🇩🇪🇫🇷', '🇩🇪'],
  ['🚒', 'Help 👩‍🚒 came', '👩‍🚒'],
  ['José', 'Jose\u0301 waits', 'Jose\u0301'],
  ['Zoe\u0308', 'Zoë leaves', 'Zoë'],
  ['lamp', 'The ＬＡＭＰ', 'ＬＡＭＰ'],
  ['find', 'We ﬁnd it', 'ﬁnd'],
  ['STRASSE', 'Die Straße', 'Straße'],
  ['маяк', 'Свет МАЯКА', 'МАЯКА'],
  ['φως', 'Το ΦΩΣ', 'ΦΩΣ'],
  ['منار', 'ضوء منارة', 'منارة'],
  ['محمد', 'قال مُحَمَّدٌ شيئا', 'مُحَمَّدٌ'],
  ['كِتاب', 'هذا كتـــاب', 'كتـــاب'],
  ['שלום', 'אמר שָׁלוֹם', 'שָׁלוֹם'],
  ['हिन्दी', 'वह हिन्दी बोलती है', 'हिन्दी'],
  ['ខ្មែរ', 'ភាសាខ្មែរពិរោះ', 'ខ្មែរ'],
  ['lightho', 'A lighthouse', 'lighthouse'],
  ['boats', 'One boat', 'boat'],
  ['"cobalt sails"', 'Many cobalt sail', 'cobalt sail'],
  ['keeper_old-2', 'Ask keeper_old-27', 'keeper_old-27'],
  ['8f2c', 'Hash 8f2c99ab01', '8f2c99ab01'],
] as const;

for (const kind of ['embedded', 'PostgreSQL'] as const)
  describe(`searching (${kind})`, { timeout: 120_000 }, () => {
    let stage: ParkStage;
    let play: Play;
    before(async () => {
      stage = await openParkStage(kind);
      play = await stage.play({ scenario: 'park', turns: 3 });
    });
    after(() => stage.close());

    const find = async (wanted: WantedSearch): Promise<Found> => must(await search(stage.engine, wanted));
    const storeOf = (): Store => stage.engine.store;

    test('searching takes in each attempt once, after it has ended, however many search at once', async () => {
      const first = await Promise.all([find({ q: 'bob' }), find({ q: 'bob' }), find({ q: 'bob' })]);
      assert.ok(first.every(({ is_complete }) => is_complete));
      assert.equal(await storeOf().search.catchUp(10), 0);
      const again = await listAll({ q: 'bob' });
      assert.equal(new Set(again.map(({ entry }) => entry)).size, again.length);
      assert.deepEqual(new Set(again.map(({ turn }) => turn)), new Set([1, 2, 3]));
    });

    async function listAll(wanted: WantedSearch): Promise<readonly SearchHit[]> {
      const hits: SearchHit[] = [];
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { rows, next } = await find({ ...wanted, limit: '3', ...(after === undefined ? {} : { after }) });
        hits.push(...rows);
        after = next ?? undefined;
      }
      return hits;
    }

    test('searching finds narrations and states by their words, in any inflection, and marks them', async () => {
      const [patch] = play.attempts[0]?.patches ?? [];
      const word = /[a-z]{5,}/.exec(patch?.narration ?? '')?.[0] ?? '';
      const { rows } = await find({ q: word, kind: 'narration', turn: '1' });
      const hit = rows.find(({ patch_seq }) => patch_seq === patch?.patch_seq);
      assert.ok(
        hit?.snippet.some(({ text, is_match }) => is_match && text.toLowerCase().includes(word)),
        word,
      );
      const [effect] = patch?.effects ?? [];
      const states = await find({ q: `"${effect?.state_after.split(/[;,.]/)[0]}"`, kind: 'state' });
      assert.ok(states.rows.length > 0, effect?.state_after);
    });

    test('searching finds a reading where it came back, and where a model saw it', async () => {
      const { rows } = await find({ q: '"cold front"' });
      assert.deepEqual(new Set(rows.map((hit) => hit.kind)).has('result'), true);
      const prompt = rows.find((hit) => hit.kind === 'prompt');
      assert.ok(prompt?.llm_call_id !== null && prompt !== undefined);
      const { messages } = await stage.llmCall(prompt.llm_call_id);
      assert.ok(messages.some(({ content }) => content.includes('cold front')));
    });

    test('searching filters by world, turn, subject, source and failure class, with words or without', async () => {
      const [hit] = (await find({ q: '"cold front"', kind: 'result' })).rows;
      const { world_slug } = play;
      const all = await find({ world: world_slug, source: hit?.source_label ?? '', turn: String(hit?.turn) });
      assert.ok(all.rows.length > 0);
      for (const { source_label, turn } of all.rows)
        assert.deepEqual([source_label, turn], [hit?.source_label, hit?.turn]);
      const rejected = await find({ failure: 'model_content' });
      assert.ok(rejected.rows.length > 0);
      assert.ok(rejected.rows.every(({ failure_class }) => failure_class === 'model_content'));
    });

    test('searching gives an attempt that failed by the call over which it failed, and no call that had answered', async () => {
      const wrong = Object.fromEntries(
        [1, 2, 3].map((number) => [`bob/act/round-1/try-${number}`, { text: 'I gaze.' }]),
      );
      const { attempts } = await stage.play({
        scenario: 'simple',
        says: { version: 1, label: 'gazing', turns: { '1': wrong } },
      });
      const [attempt] = attempts;
      const failure = attempt?.failure_class ?? '';
      const { rows } = await find({ world: attempt?.world_slug ?? '', failure });
      assert.ok(rows.some(({ kind }) => kind === 'answer'));
      for (const { source_invocation_id } of rows)
        assert.equal(source_invocation_id, attempt?.failed_source_invocation_id);
    });

    test('searching finds in the answer of a generation what the model said, and not why it ended', async () => {
      assert.deepEqual((await find({ q: '"I gaze"', kind: 'answer' })).rows.length, 3);
      assert.deepEqual((await find({ q: 'stop', kind: 'answer' })).rows, []);
    });

    test('searching says what there is, where a filter names what no text has', async () => {
      const refusal = async (wanted: WantedSearch) => {
        const done = await search(stage.engine, { q: 'cold', ...wanted });
        return done.ok ? 'found' : done.problems.map(({ code, repair }) => `${code}: ${repair}`).join();
      };
      const world = play.world_slug;
      assert.match(await refusal({ world: `${world}x` }), new RegExp(`^WORLD_UNKNOWN: Did you mean ${world}\\?`));
      assert.equal(await refusal({ subject: 'bobb' }), 'SEARCH_FILTER_UNKNOWN: Did you mean bob?');
      assert.match(await refusal({ world, subject: 'nobody' }), /^SEARCH_FILTER_UNKNOWN: There are: .*\bbob\b/);
      assert.match(await refusal({ source: 'toy_park_wether' }), /Did you mean toy_park_weather\?/);
      assert.equal(await refusal({ failure: 'timeot' }), 'SEARCH_FILTER_UNKNOWN: Did you mean timeout?');
      assert.equal(await refusal({ failure: 'poisoned' }), 'found');
    });

    test('searching shows of one attempt first what fits the words best, and marks where a text was cut', async () => {
      const { rows } = await find({ q: 'bob', turn: '1', world: play.world_slug });
      const ranks = rows.map(({ rank }) => rank);
      assert.deepEqual(
        ranks,
        ranks.toSorted((one, other) => other - one),
      );
      assert.notEqual(rows[0]?.kind, 'prompt');
      const shown = ({ snippet }: SearchHit): string => snippet.map(({ text }) => text).join('');
      for (const hit of rows.filter(({ kind }) => kind === 'prompt')) assert.match(shown(hit), /…$/);
      const [patch] = play.attempts[0]?.patches ?? [];
      const whole = await find({ q: `"${patch?.effects[0]?.state_after}"`, kind: 'state', turn: '1' });
      assert.ok(whole.rows.length > 0);
      for (const hit of whole.rows) assert.doesNotMatch(shown(hit), /…/);
    });

    test('searching tells what was said before the prompts that quote it, of all attempts', async () => {
      const rows = await listAll({ q: 'bob' });
      const kinds = rows.map((hit) => hit.kind);
      const prompts = kinds.filter((one) => one === 'prompt').length;
      assert.ok(prompts > 3 && prompts < kinds.length, kinds.join());
      assert.deepEqual(new Set(kinds.slice(-prompts)), new Set(['prompt']));
      const { rows: page } = await find({ q: 'bob', limit: '200' });
      assert.deepEqual(new Set(page.slice(-prompts).map(({ kind: one }) => one)), new Set(['prompt']));
      assert.deepEqual((await find({ q: 'bob', kind: 'prompt', limit: '200' })).rows.length, prompts);
    });

    test('searching keeps markup in an excerpt as it was written, and finds the words in it', async () => {
      const narration = 'Bob reads <b>aloud</b>: "if moor < sea & sea > moor, <lantern hue=ochre>", and a < b.';
      const patch = { kind: 'final_patch', patch: { narration, effects: [] } };
      const says = {
        version: 1,
        label: 'markup',
        turns: { '1': { 'bob/act/round-1/try-1': { json: patch } } },
      } as const;
      const { world_slug } = await stage.play({ scenario: 'simple', says });
      for (const q of ['aloud', 'moor', 'lantern', 'ochre', '"<lantern hue"']) {
        const { rows } = await find({ q, kind: 'narration', world: world_slug });
        const parts = rows[0]?.snippet ?? [];
        const shown = parts.map(({ text }) => text).join('');
        assert.ok(narration.includes(shown.replaceAll(/^… | …$/g, '')), `${q}: ${shown}`);
        assert.match(shown, /<b>aloud<\/b>|moor < sea & sea > moor|<lantern hue=ochre/, q);
        assert.ok(
          parts.some(({ is_match }) => is_match),
          q,
        );
      }
    });

    test('searching shows of an answer in JSON what it says, in whole words, and not the names of its members', async () => {
      const long = 'Far off_the_shore a very_tall_mast stands in the fog and nobody on_the_pier sees it '.repeat(4);
      const patch = { kind: 'final_patch', patch: { narration: `${long} quahog_shell ${long}`, effects: [] } };
      const says = {
        version: 1,
        label: 'words',
        turns: { '1': { 'bob/act/round-1/try-1': { json: patch } } },
      } as const;
      const { world_slug } = await stage.play({ scenario: 'simple', says });
      const { rows } = await find({ q: 'quahog', kind: 'answer', world: world_slug });
      const shown = rows[0]?.snippet.map(({ text }) => text).join('') ?? '';
      assert.match(shown, /^… .*quahog_shell.* …$/);
      const known = new Set(`${long} quahog_shell`.split(' '));
      for (const word of shown.replaceAll('…', '').trim().split(/\s+/)) assert.ok(known.has(word), word);
      assert.deepEqual((await find({ q: 'narration', kind: 'answer', world: world_slug })).rows, []);
    });

    test('searching finds words of every script, in every form, and marks them as they are written', async () => {
      const narration = `${IN_EVERY_SCRIPT.map(([, text]) => text).join('. ')}.`;
      const patch = { kind: 'final_patch', patch: { narration, effects: [] } };
      const says = {
        version: 1,
        label: 'scripts',
        turns: { '1': { 'bob/act/round-1/try-1': { json: patch } } },
      } as const;
      const { world_slug } = await stage.play({ scenario: 'simple', says });
      const marks = await Promise.all(
        IN_EVERY_SCRIPT.map(async ([q]) => {
          const { rows } = await find({ q, kind: 'narration', world: world_slug });
          return [q, rows.flatMap(({ snippet }) => snippet.filter(({ is_match }) => is_match).map(({ text }) => text))];
        }),
      );
      assert.deepEqual(
        marks,
        IN_EVERY_SCRIPT.map(([q, , marked]) => [q, [marked]]),
      );
      for (const q of ['塔灯', '大守', 'อกหม', '🎉', 'ighthouse', '"cobal"', 'boat -灯塔'])
        assert.deepEqual((await find({ q, kind: 'narration', world: world_slug })).rows, [], q);
      for (const q of ['zyzzyva or 灯塔', '灯塔 -zyzzyva', '"灯塔"', '灯塔 등대'])
        assert.equal((await find({ q, kind: 'narration', world: world_slug })).rows.length, 1, q);
    });

    test('searching finds a text by ids and hashes of the record, and by their beginnings', async () => {
      const [attempt] = play.attempts;
      const call = attempt?.invocations.find(({ llm_call_id }) => llm_call_id !== null);
      const { attempt_id = '', patches = [] } = attempt ?? {};
      for (const id of [attempt_id, call?.source_invocation_id, call?.llm_call_id, call?.request_hash])
        for (const q of [id ?? '', id?.slice(0, -3).toUpperCase() ?? '']) {
          const { rows } = await find({ q, turn: '1', world: play.world_slug });
          assert.ok(rows.length > 0, q);
        }
      const { rows } = await find({ q: call?.llm_call_id ?? '', limit: '200' });
      assert.deepEqual(new Set(rows.map(({ llm_call_id }) => llm_call_id)), new Set([call?.llm_call_id]));
      const [effect] = patches.flatMap(({ effects }) => effects);
      const states = await find({ q: effect?.entity_id ?? '', kind: 'state', turn: '1', world: play.world_slug });
      assert.ok(states.rows.length > 0);
    });

    test('searching takes any signs for a question', async () => {
      const signs = [
        '-',
        '"',
        "'",
        '\\',
        '\u0000',
        '&',
        '|',
        '!',
        '<->',
        ':*',
        '(',
        ')',
        '\ud800',
        '\udfff',
        '-" ',
        'or ',
        ' -or',
      ];
      for (const q of signs.flatMap((sign) => [sign, sign.repeat(50), `${sign.repeat(50)}zyzzyva`, `zyzzyva${sign}`]))
        if (q.trim() !== '')
          assert.equal((await search(stage.engine, { q: q.slice(0, 200) })).ok, true, JSON.stringify(q));
      for (const q of ['x'.repeat(10_000), '灯'.repeat(10_000)])
        assert.deepEqual(await refusalOf({ q }), ['SEARCH_INVALID']);
      assert.equal((await search(stage.engine, { q: '\u0301'.repeat(200) })).ok, true);
    });

    async function refusalOf(wanted: WantedSearch): Promise<readonly string[]> {
      const done = await search(stage.engine, wanted);
      return done.ok ? [] : done.problems.map(({ code }) => code);
    }

    test('searching finds nothing that redaction hides', async () => {
      const attempt = play.attempts[0];
      const shown = JSON.stringify(attempt?.invocations.map(({ response_json }) => response_json));
      const rows = await storeOf().search.find(
        { kind: 'result', turn: 1, world_slug: play.world_slug },
        { limit: 100 },
      );
      assert.ok(rows.length > 0);
      for (const { snippet } of rows)
        for (const word of snippet
          .map(({ text }) => text)
          .join('')
          .match(/[a-z]{4,}/g) ?? [])
          assert.ok(
            shown.includes(word) || attempt?.invocations.some((call) => call.failure_message?.includes(word)),
            word,
          );
    });

    test('searching gives nothing where nothing is asked, or a word that nothing has', async () => {
      assert.deepEqual((await find({})).rows, []);
      assert.deepEqual((await find({ q: '' })).rows, []);
      assert.deepEqual((await find({ q: 'the' })).rows, []);
      for (const q of ['zyzzyva', `'; DROP TABLE worlds; --`, ':* & | ! ( <->', '\u0000', '"', '-', '\uE000x\uE001'])
        assert.deepEqual((await find({ q })).rows, [], q);
    });

    test('searching loses the texts of a world with the world', async () => {
      const { world_slug } = await stage.play({ scenario: 'simple', turns: 1 });
      assert.ok((await find({ world: world_slug })).rows.length > 0);
      assert.equal((await storeOf().worlds.delete(world_slug)).kind, 'deleted');
      assert.equal((await search(stage.engine, { world: world_slug })).ok, false);
    });
  });
