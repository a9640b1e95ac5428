import { readValues } from '../../catalogue/read-input.js';
import type { Query } from '../../catalogue/query.js';
import { problem } from '../../contract/problem.js';
import { placed } from './actions.js';
import { toFieldSchema } from './schemas.js';
import { answer, type CatalogueTool, refusal } from './tools.js';

export function queryTools(declared: readonly Query[]): readonly CatalogueTool[] {
  return declared.map((query) => ({
    tool: {
      name: query.name,
      description: query.says,
      inputSchema: toFieldSchema(query.takes),
      annotations:
        query.stores === true
          ? { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }
          : { readOnlyHint: true, openWorldHint: false },
    },
    gives: query.gives,
    async call(desk, _, said) {
      if (query.stores === true && desk.holdsToken(JSON.stringify(said)))
        return refusal([problem('FIELD_INVALID', { kind: 'token' })]);
      const input = readValues(query.takes, said);
      if (!input.ok) return refusal(placed(input.problems));
      const found = await desk.use((engine) => query.answer(engine, input.value));
      return found.ok ? answer(found.value) : refusal(found.problems);
    },
  }));
}
