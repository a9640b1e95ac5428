import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Wrapper } from '../../plugins/llm_chat/wrapper.js';

const PATCH = '{"kind":"final_patch","note":"<|im_end|> \\"} </s>"}';

/** The answer as it is split when it arrives in these pieces. */
function split(pieces: readonly string[]) {
  const wrapper = new Wrapper(true);
  const parts = [...pieces.map((piece) => wrapper.push(piece)), wrapper.end()];
  return {
    text: parts.map(({ text }) => text).join(''),
    reasoning: parts.map(({ reasoning }) => reasoning).join(''),
    set_aside: wrapper.set_aside,
  };
}

const WRAPPED: readonly (readonly [said: string, reasoning: string, before?: string | undefined, behind?: string])[] = [
  [PATCH, ''],
  [`${PATCH}<|im_end|>`, '', undefined, '<|im_end|>'],
  [`${PATCH}<|eot_id|><|start_header_id|>user`, '', undefined, '<|eot_id|><|start_header_id|>user'],
  [`<s>[INST]${PATCH}\n[/INST]</s>`, '', '<s>[INST]', '[/INST]</s>'],
  [`<|im_start|>assistant\n${PATCH}`, '', '<|im_start|>assistant'],
  [`<start_of_turn>model\n${PATCH}<end_of_turn>\n`, '', '<start_of_turn>model', '<end_of_turn>\n'],
  [
    `<\uFF5CAssistant\uFF5C>${PATCH}<\uFF5Cend\u2581of\u2581sentence\uFF5C>`,
    '',
    '<\uFF5CAssistant\uFF5C>',
    '<\uFF5Cend\u2581of\u2581sentence\uFF5C>',
  ],
  [`<answer>${PATCH}</answer>`, '', '<answer>', '</answer>'],
  [`<|begin_of_box|>${PATCH}<|end_of_box|>`, '', '<|begin_of_box|>', '<|end_of_box|>'],
  [`<|channel|>final <|constrain|>json<|message|>${PATCH}`, '', '<|channel|>final <|constrain|>json<|message|>'],
  [
    `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>${PATCH}<|return|>`,
    'Hm.',
    '<|start|>assistant<|channel|>final<|message|>',
    '<|return|>',
  ],
  [`<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>${PATCH}`, 'Hm.', '<|channel|>final<|message|>'],
  [`analysisHm.assistantfinal${PATCH}`, 'analysisHm.'],
  [`<seed:think>Hm.</seed:think>${PATCH}`, 'Hm.'],
  [`\u25C1think\u25B7Hm.\u25C1/think\u25B7${PATCH}`, 'Hm.'],
  [
    `<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>${PATCH}<|END_RESPONSE|>`,
    'Hm.',
    '<|START_RESPONSE|>',
    '<|END_RESPONSE|>',
  ],
  [`Hm.</think>\n\n${PATCH}<|endoftext|>`, 'Hm.', undefined, '<|endoftext|>'],
  [`<Think>Hm.</Think>${PATCH}`, 'Hm.'],
  [`<scratch_pad>Hm.</scratch_pad>\n${PATCH}`, 'Hm.'],
  [
    `<|think|>Hm.<|end|><|begin|>assistant<|content|>${PATCH}<|end|>`,
    'Hm.',
    '<|begin|>assistant<|content|>',
    '<|end|>',
  ],
  [`[|assistant|]${PATCH}[|endofturn|]`, '', '[|assistant|]', '[|endofturn|]'],
  [`<json>\n${PATCH}\n</json>`, '', '<json>', '</json>'],
  [`<final_answer>${PATCH}</final_answer>`, '', '<final_answer>', '</final_answer>'],
  [`assistant\n${PATCH}`, '', 'assistant\n'],
  [`### Response:\n\n${PATCH}`, '', '### Response:\n\n'],
  [`Final answer: ${PATCH}`, '', 'Final answer: '],
  [`**Answer:**\n${PATCH}`, '', '**Answer:**\n'],
  [`## **Final answer**:\n${PATCH}`, '', '## **Final answer**:\n'],
  [`<answer type="json">${PATCH}</answer>`, '', '<answer type="json">', '</answer>'],
];

for (const [said, reasoning, before, behind] of WRAPPED) {
  test(`however it is cut, this is the answer and its wrapper: ${said}`, () => {
    const set_aside = (before ?? behind) ? { ...(before ? { before } : {}), ...(behind ? { behind } : {}) } : undefined;
    const expected = { text: PATCH, reasoning, set_aside };
    assert.deepEqual(split([said]), expected);
    assert.deepEqual(split(Array.from(said)), expected);
    for (let at = 1; at < said.length; at += 1)
      assert.deepEqual(split([said.slice(0, at), said.slice(at)]), expected, `cut at ${at}`);
  });
}

for (const said of [
  `\`\`\`json\n${PATCH}\n\`\`\``,
  `${PATCH} and that is all`,
  `${PATCH}\n${PATCH}`,
  `${PATCH}<im_end>`,
  '{"note": "he said "} now" }',
  'Sure! <b>Here</b> it is: {"a": 1}',
  '<|tool_calls_section_begin|>{"name":"buy"}',
  '<|channel|>commentary to=functions.buy <|constrain|>json<|message|>{"a":1}',
  '<|start|>assistant to=functions.buy<|channel|>commentary<|message|>{"a":1}',
  '<s',
  '<tool_call>{"name":"buy"}</tool_call>',
  '<function=buy>{"a":1}</function>',
  '<b>Here</b> it is',
  '**Bold** {"a": 1}',
  '<tool name="buy">{"a": 1}</tool>',
  'assistants {"a": 1}',
  'Answer me: {"a": 1}',
  'json',
  '[1, 2',
  '"a text"',
  ' \n ',
  '',
]) {
  test(`however it is cut, nothing is taken off this: ${JSON.stringify(said)}`, () => {
    const expected = { text: said, reasoning: '', set_aside: undefined };
    assert.deepEqual(split([said]), expected);
    assert.deepEqual(split(Array.from(said)), expected);
    for (let at = 1; at < said.length; at += 1)
      assert.deepEqual(split([said.slice(0, at), said.slice(at)]), expected, `cut at ${at}`);
  });
}

test('a code fence stays, and marks behind it are set aside', () => {
  const fenced = `\`\`\`json\n${PATCH}\n\`\`\``;
  const expected = { text: fenced, reasoning: '', set_aside: { behind: '<|im_end|>' } };
  assert.deepEqual(split(Array.from(`${fenced}\n<|im_end|>`)), expected);
});

test('marks, tags and blanks without a measure are read in one pass', () => {
  for (const part of [
    '<s>',
    '<think></think>',
    '<|channel|>analysis<|message|><|end|>',
    '\n',
    '<|start|>assistant ',
    '{}<|im_end|>',
    '<',
  ]) {
    const said = part.repeat(100_000);
    split([said]);
    split(Array.from({ length: 100_000 }, () => part));
  }
});
