import type { Json } from '../../contract/json.js';
import { readModelText } from '../../core/nodes/model-text.js';
import { schemaSegment } from '../../core/nodes/generation.js';
import { type Segment, toMessage } from '../../core/prompt/message.js';
import type { Generation } from '../../core/protocol/command.js';
import { composeToolLoopSchema } from '../../core/nodes/compose-schema.js';
import type { SchemaDelivery, Validate } from '../../core/protocol/program.js';
import type { JsonObject } from '../../contract/json.js';

export type QuestionName = 'plain' | 'schema' | 'long';

export interface Question {
  readonly name: QuestionName;
  /** Whether it has a schema, and settings about schemas apply. */
  readonly has_schema: boolean;
  readonly generation: (delivery: SchemaDelivery) => Generation;
  /** The fault of an answer; undefined where it is good. */
  readonly findFault: (text: string, finish_reason: string) => string | undefined;
}

/** As far as the long question has the model count: some 1,500 tokens, more than servers give by their smallest defaults. */
const COUNT = 400;

const PLAIN = 'Reply with the single word READY, and nothing else.';
const LONG = `Write the whole numbers from 1 to ${COUNT}, separated by single spaces, on one line, and nothing else. Leave none out.`;
const SYSTEM =
  'You decide what Bob does in one turn of a small written world. Answer with a final patch: a narration, and the effects that make it true. Write entity ids exactly as they are listed.';
const SITUATION =
  'Bob (id: bob) sits on a bench in the park. He is tired. There are no tools that would help. Set the state of bob to what he does now.';

const BUY: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['candy'],
  properties: { candy: { type: 'string', maxLength: 40, pattern: '^[a-z]+$' } },
};

/**
 * The three questions: a word, a patch of the very schema that a turn asks for, and an answer that is long.
 * @param patch the shipped WorldPatch schema
 * @param compile makes a validator of the whole schema, which answers are checked against
 */
export function listQuestions(patch: JsonObject, compile: (schema: JsonObject) => Validate): readonly Question[] {
  const offered = composeToolLoopSchema([{ name: 'buy_candy', arguments: BUY }], patch);
  const validate = compile(offered.schema);
  return [
    {
      name: 'plain',
      has_schema: false,
      generation: () => ask([{ role: 'user', text: PLAIN }], offered),
      findFault: (text) => (text.trim() === '' ? 'it is empty' : undefined),
    },
    {
      name: 'schema',
      has_schema: true,
      generation: (delivery) => ({
        ...ask(
          [
            { role: 'system', text: SYSTEM },
            { role: 'user', text: SITUATION },
          ],
          offered,
          delivery,
        ),
      }),
      findFault: (text, finish_reason) => findSchemaFault(text, finish_reason, validate),
    },
    {
      name: 'long',
      has_schema: false,
      generation: () => ask([{ role: 'user', text: LONG }], offered),
      findFault: findLongFault,
    },
  ];
}

interface Said {
  readonly role: 'system' | 'user';
  readonly text: string;
}

function ask(said: readonly Said[], offered: Generation['offered'], delivery?: SchemaDelivery): Generation {
  const messages = said.map(({ role, text }, index) => {
    const isLast = index === said.length - 1;
    const author: Segment = { origin: 'author', text };
    const isWritten = isLast && delivery !== undefined && delivery !== 'response_format';
    return toMessage(role, isWritten ? [author, schemaSegment(offered)] : [author]);
  });
  return { conversation: 'try', messages, prefix_hash: 'none', offered, schema_delivery: delivery ?? 'prompt' };
}

function findSchemaFault(text: string, finish_reason: string, validate: Validate): string | undefined {
  const read = readModelText({ text, finish_reason });
  if (!read.ok) return read.complaint.message;
  const [problem] = validate(read.value satisfies Json);
  return problem === undefined
    ? undefined
    : `it does not fit the schema: ${problem.message}${problem.pointer ? ` (at ${problem.pointer})` : ''}`;
}

/** The answer must be complete; whether the model can count is irrelevant. */
function findLongFault(text: string, finish_reason: string): string | undefined {
  const last = Number(/(\d+)\D*$/.exec(text)?.[1] ?? 0);
  if (finish_reason === 'length')
    return `it reached the output limit when it had counted to ${last}: raise max_output_tokens, or the server's own limit`;
  if (last >= COUNT) return undefined;
  if (text.trim() === '') return 'it is empty';
  return last === 0 ? 'there is no number in it' : `it stopped counting at ${last}: long answers may be incomplete`;
}
