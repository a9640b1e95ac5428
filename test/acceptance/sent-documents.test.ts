import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readValues } from '../../engine/catalogue/read-input.js';
import { QUERIES } from '../../engine/catalogue/queries/index.js';
import type { Json } from '../../engine/contract/json.js';
import type { Outcome } from '../../engine/contract/problem.js';
import { COMPONENT_KINDS } from '../../engine/core/protocol/component.js';
import type { SentDocument } from '../../engine/operations/documents/index.js';
import type { Engine } from '../../engine/operations/engine.js';
import { must, sharedStage } from '../support/park-stage.js';

interface Checked {
  readonly ok: boolean;
  readonly findings: readonly { readonly file: string; readonly pointer: string; readonly code: string }[];
}

interface Stored {
  readonly stored: readonly { readonly kind: string; readonly hash: string; readonly path: string }[];
  readonly new_count: number;
}

/** Asks a query as a program does: by its name, with JSON. */
async function ask<Answer>(
  engine: Engine,
  name: string,
  said: Readonly<Record<string, Json>> = {},
): Promise<Outcome<Answer>> {
  const query = QUERIES.find((each) => each.name === name);
  assert.ok(query, name);
  const input = readValues(query.takes, said);
  return input.ok ? ((await query.answer(engine, input.value)) as Outcome<Answer>) : input;
}

const newDocuments = async (engine: Engine): Promise<readonly SentDocument[]> =>
  must(await ask<{ readonly documents: readonly SentDocument[] }>(engine, 'new_world', { shape: 'place', name: 'bay' }))
    .documents;

/** The documents with one of them changed. */
function change(documents: readonly SentDocument[], path: string, members: Readonly<Record<string, Json>>) {
  return documents.map((document) =>
    document.path === path ? { path, content: { ...(document.content as object), ...members } } : document,
  ) as unknown as Json;
}

describe('documents that a program sends', () => {
  const open = sharedStage('PostgreSQL');

  test('a world is made of the documents that new_world gives: checked, stored all at once, and the same again', async () => {
    const { engine } = await open();
    const documents = (await newDocuments(engine)) as unknown as Json;
    assert.deepEqual(must(await ask<Checked>(engine, 'validate_documents', { documents })), { ok: true, findings: [] });
    const { stored, new_count } = must(await ask<Stored>(engine, 'put_documents', { documents }));
    assert.ok(new_count > 10);
    assert.equal(must(await ask<Stored>(engine, 'put_documents', { documents })).new_count, 0);
    const scenario_hash = stored.find(({ kind }) => kind === 'scenario')?.hash ?? '';
    const made = must(
      await ask<{ readonly turn: number }>(engine, 'create_world', { world_slug: 'bay', scenario_hash }),
    );
    assert.equal(made.turn, 0);
    const again = await ask(engine, 'create_world', { world_slug: 'bay', scenario_hash });
    assert.equal(!again.ok && again.problems[0]?.code, 'WORLD_EXISTS');
  });

  test('every finding names its document and its place, and where there is one nothing is stored', async () => {
    const { engine } = await open();
    const documents = change(await newDocuments(engine), 'workflow.json', { executoin: 'per_subject_ordered' });
    const { ok, findings } = must(await ask<Checked>(engine, 'validate_documents', { documents }));
    assert.equal(ok, false);
    assert.deepEqual(
      findings.map(({ file, pointer, code }) => [file, pointer, code]),
      [['workflow.json', '/executoin', 'UNKNOWN_FIELD']],
    );
    const before = await engine.store.components.count();
    const put = await ask(engine, 'put_documents', { documents });
    assert.deepEqual(!put.ok && put.problems.map(({ code, location }) => [code, location?.file]), [
      ['UNKNOWN_FIELD', 'workflow.json'],
    ]);
    assert.deepEqual(await engine.store.components.count(), before);
  });

  test('a document that is sent alone refers to stored ones by their hash', async () => {
    const { engine } = await open();
    const documents = await newDocuments(engine);
    const { stored } = must(await ask<Stored>(engine, 'put_documents', { documents: documents as unknown as Json }));
    const hashOf = (path: string): string => stored.find((each) => each.path === path)?.hash ?? '';
    const profile = documents.find(({ path }) => path === 'profile.json')?.content as Readonly<Record<string, Json>>;
    const content = {
      ...profile,
      label: 'another',
      workflow_ref: { hash: hashOf('workflow.json') },
      tool_policy_ref: { hash: hashOf('policy.json') },
    };
    const put = must(await ask<Stored>(engine, 'put_cognition_profile', { content }));
    assert.equal(put.stored.find(({ path }) => path === 'document.json')?.kind, 'cognition_profile');
    const unknown = { ...content, workflow_ref: { hash: '0'.repeat(64) } };
    assert.equal(must(await ask<Checked>(engine, 'validate_document', { content: unknown })).ok, false);
  });

  test('a tool that stores one kind takes its JSON also as text, and refuses every other kind', async () => {
    const { engine } = await open();
    const documents = await newDocuments(engine);
    await ask(engine, 'put_documents', { documents: documents as unknown as Json });
    const policy = documents.find(({ path }) => path === 'policy.json')?.content ?? null;
    for (const content of [policy, JSON.stringify(policy)]) {
      assert.equal(must(await ask<Checked>(engine, 'validate_document', { content })).ok, true);
      const { stored } = must(await ask<Stored>(engine, 'put_tool_policy', { content }));
      assert.equal(stored.find(({ path }) => path === 'document.json')?.kind, 'tool_policy');
    }
    const before = await engine.store.components.count();
    const prompt = 'What does {{subject.name}} do?';
    assert.equal(must(await ask<Checked>(engine, 'validate_document', { content: prompt })).ok, true);
    for (const content of [JSON.stringify(policy), prompt])
      for (const name of ['assemble_scenario', 'put_cognition_profile', 'put_json_schema'])
        assert.equal((await ask(engine, name, { content })).ok, false, `${name} ${content}`);
    assert.deepEqual(await engine.store.components.count(), before);
  });

  test('what cannot be a list of documents is refused with what to send', async () => {
    const { engine } = await open();
    const document = { path: 'a.json', content: {} };
    for (const documents of [[], 7, [document, document], [{ path: 'a.json' }], [{ content: {} }]]) {
      const refused = await ask(engine, 'validate_documents', { documents });
      assert.equal(!refused.ok && refused.problems[0]?.code, 'FIELD_INVALID', JSON.stringify(documents));
    }
    for (const path of ['../a.json', '/etc/passwd', 'a\\b.json', 'C:/a.json']) {
      const refused = await ask(engine, 'validate_documents', { documents: [{ path, content: {} }] });
      assert.match((!refused.ok && refused.problems[0]?.code) || '', /^PATH_/, path);
    }
  });

  test('each kind of document is described by its schema, by an example that is valid, and by common mistakes', async () => {
    const { engine } = await open();
    for (const kind of COMPONENT_KINDS) {
      const described = must(
        await ask<{ readonly schema: unknown; readonly common_mistakes: readonly unknown[] }>(
          engine,
          'describe_document',
          {
            kind,
          },
        ),
      );
      assert.equal(described.schema === null, kind === 'json_schema');
      assert.ok(described.common_mistakes.length > 0, kind);
    }
    const unknown = await ask(engine, 'describe_plugin', { name: 'http_jsno' });
    assert.match((!unknown.ok && unknown.problems[0]?.repair) || '', /http_json/);
  });
});
