import type { Json } from '../../../../contract/json.js';
import type { Example } from '../../../../generated/plugin-conformance.js';
import { askBareWith, variablesFor, withSession } from '../ask.js';
import { answerAs } from '../canned.js';
import { describeEnd } from '../describe.js';
import { fillToken, makeToken } from '../placeholders.js';
import { judge, type Rule, type Scene } from '../rule.js';
import { withServer } from '../server.js';

/** The pipeline hands a frozen request over; where it is not frozen, it must look untouched afterwards. */
export const inputs: Rule = {
  rule: 'inputs',
  sentence: 'It changes nothing that it is handed',
  needs: ['conformance'],
  check: async (scene) => {
    const complaints: string[] = [];
    for (const example of scene.examples) complaints.push(...(await findChanges(scene, example)));
    return judge(complaints, 'Make a new value instead of changing request or interface: { ...request, more }.');
  },
};

async function findChanges({ bench }: Scene, example: Example): Promise<readonly string[]> {
  return withServer(answerAs(example), ({ url }) =>
    withSession(bench, variablesFor(bench.manifest, example, example.server && url), async (session) => {
      const token = makeToken();
      const request = structuredClone(fillToken(example.request, token));
      const definition = structuredClone(example.interface);
      const source = session.open(definition);
      const loose = await askBareWith(source, request, { token });
      const complaints = [
        ...(isSame(request, fillToken(example.request, token)) ? [] : [`${example.name}: the request was changed`]),
        ...(isSame(definition, example.interface) ? [] : [`${example.name}: the interface was changed`]),
      ];
      const frozen = freeze(structuredClone(fillToken(example.request, token)));
      const strict = await askBareWith(source, frozen, { token });
      if (loose.kind === 'answered' && strict.kind === 'threw' && complaints.length === 0)
        complaints.push(`${example.name}: with a frozen request ${describeEnd(strict)}`);
      return complaints;
    }),
  );
}

function isSame(left: Json, right: Json): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function freeze<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
