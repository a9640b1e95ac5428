import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitTools } from '../../engine/surfaces/mcp/schemas.js';

const offer = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    gives: 'World',
    tool: {
      name: `get_thing_${at}`,
      description: 'Shows a thing; by its name, or by a part of it.',
      inputSchema: {
        type: 'object' as const,
        properties: { description: { type: 'string', description: 'Words about this parameter. '.repeat(3) } },
      },
    },
  }));

test('a list of tools loses its least needed parts first, and is never too large for them', () => {
  for (const count of [1, 40, 60, 90, 100, 120]) {
    const tools = fitTools(offer(count)).map(({ tool }) => tool);
    assert.equal(tools.length, count);
    assert.ok(Buffer.byteLength(JSON.stringify({ tools })) <= 20_000, String(count));
    for (const { inputSchema } of tools) assert.ok('description' in (inputSchema.properties ?? {}), 'the name stays');
    const answers = tools.filter((tool) => 'outputSchema' in tool).length;
    const words = tools.filter((tool) => JSON.stringify(tool).includes('Words about')).length;
    assert.ok(answers === 0 || words === count, 'words go after answers');
    if (count === 1) assert.equal(answers, 1);
    if (count === 100) assert.ok(words < count);
    const whole = tools.filter(({ description }) => description?.includes(';')).length;
    assert.ok(whole === count || words === 0, 'descriptions go after words');
    if (count === 120) assert.ok(whole < count);
  }
});
