import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { validateDocuments } from '../../engine/operations/documents/index.js';
import { documentParts, folderOf, inShort } from './document-parts.js';

/** A workflow whose only message is in a file. */
function workflowOf(content: unknown) {
  return {
    version: 1,
    execution: 'per_subject_ordered',
    ambient_sources: [],
    nodes: [
      {
        id: 'act',
        type: 'llm_tool_loop',
        llm_source_ref: { hash: '0'.repeat(64) },
        prompt_template: { messages: [{ role: 'user', content }] },
        projection: { scope: 'world', memory: { recent: 1 } },
        available_tools: [],
        max_generation_attempts: 1,
        max_tool_calls: 0,
        final_schema_ref: { path: 'chukwa:world-patch.schema.json' },
        constraints: { token_budget: 1000, timeout_seconds: 10 },
      },
    ],
    apply: { from: 'act.final' },
  };
}

async function linked(folder: string, paths: readonly string[] = ['.']) {
  const { components, findings } = await validateDocuments(await documentParts(folder), paths);
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  );
  return components;
}

test('a prompt file has one hash, with any line ends and with or without a last one', async (t) => {
  const texts = ['One.\n\nTwo.', 'One.\n\nTwo.\n', 'One.\r\n\r\nTwo.\r\n'];
  const files = Object.fromEntries(texts.map((text, index) => [`${index}.md`, text]));
  const folder = await folderOf(t, files);
  const prompts = await linked(folder, Object.keys(files));
  assert.deepEqual(
    prompts.map(({ kind, content }) => [kind, content]),
    texts.map(() => ['prompt_text', { text: 'One.\n\nTwo.' }]),
  );
  assert.equal(new Set(prompts.map(({ hash }) => hash)).size, 1);
});

test('of several line ends at the end of a prompt file only the last one is left out', async (t) => {
  const [prompt] = await linked(await folderOf(t, { 'act.md': 'One.\n\n' }), ['act.md']);
  assert.deepEqual(prompt?.content, { text: 'One.\n' });
});

test('a workflow names the prompt file that it refers to by its hash, and a prompt that nothing names is skipped', async (t) => {
  const folder = await folderOf(t, {
    'workflow.json': workflowOf({ path: './prompts/act.txt' }),
    'prompts/act.txt': '{{subject.rendered}}',
    'README.md': 'Not a prompt.',
  });
  const components = await linked(folder);
  const prompt = components.find(({ kind }) => kind === 'prompt_text');
  const workflow = components.find(({ kind }) => kind === 'cognition_workflow');
  assert.deepEqual(
    components.filter(({ kind }) => kind === 'prompt_text').map(({ content }) => content),
    [{ text: '{{subject.rendered}}' }],
  );
  assert.ok(workflow && prompt);
  assert.ok(workflow.refers_to.some(({ kind, hash }) => kind === 'prompt_text' && hash === prompt.hash));
  assert.match(JSON.stringify(workflow.content), new RegExp(`"content":{"hash":"${prompt.hash}"}`));
});

test('a prompt file that is a link out of the folder is not read', async (t) => {
  const outside = await folderOf(t, { 'secret.md': 'secret' });
  const folder = await folderOf(t, { 'workflow.json': workflowOf({ path: './act.md' }) });
  await symlink(join(outside, 'secret.md'), join(folder, 'act.md'));
  const { findings, components } = await validateDocuments(await documentParts(folder), ['.']);
  assert.deepEqual(
    findings.map(inShort).filter((line) => !line.includes('(note)')),
    ['act.md:0:0 LINK_LEAVES_ROOT at ""'],
  );
  assert.doesNotMatch(JSON.stringify(components), /secret/);
});

test('a prompt file of twenty megabytes is refused by its size', async (t) => {
  const folder = await folderOf(t, {
    'workflow.json': workflowOf({ path: './act.md' }),
    'act.md': 'word '.repeat(4_000_000),
  });
  const { findings } = await validateDocuments(await documentParts(folder), ['.']);
  assert.ok(findings.map(inShort).includes('act.md:1:1 FILE_TOO_LARGE at ""'));
});

test('a prompt file whose name is nearly right is proposed', async (t) => {
  const folder = await folderOf(t, { 'workflow.json': workflowOf({ path: './atc.md' }), 'act.md': 'x' });
  const { findings } = await validateDocuments(await documentParts(folder), ['.']);
  assert.equal(findings.find(({ code }) => code === 'FILE_MISSING')?.repair, 'Did you mean "./act.md"?');
});
