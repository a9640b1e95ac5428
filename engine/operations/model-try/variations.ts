import type { JsonObject } from '../../contract/json.js';
import type { Question } from './questions.js';

/** Settings to be written in place of others; null for one to be taken out. */
export type Changes = JsonObject;

/**
 * What is tried where an answer is not good, in this order; the first is the source as it is written, with what earlier
 * questions have found out.
 */
export function listVariations(authored: JsonObject, found: Changes, { has_schema }: Question): readonly Changes[] {
  const variations = has_schema ? schemaVariations(authored) : wireVariations(authored);
  return [found, ...variations.map((changes) => ({ ...found, ...changes }))];
}

/** An interface with changes in it. */
export function applyChanges(authored: JsonObject, changes: Changes): JsonObject {
  return Object.fromEntries(Object.entries({ ...authored, ...changes }).filter(([, value]) => value !== null));
}

function wireVariations(authored: JsonObject): readonly Changes[] {
  const { max_output_tokens, stream = true, usage = true, extra_body } = authored;
  const body = typeof extra_body === 'object' && extra_body !== null ? (extra_body as JsonObject) : {};
  return [
    ...(stream === true && usage === true ? [{ usage: false }] : []),
    ...(stream === true ? [{ stream: false }] : []),
    ...(max_output_tokens === undefined
      ? []
      : [{ max_output_tokens: null, extra_body: { ...body, max_tokens: max_output_tokens } }]),
  ];
}

const DELIVERIES = ['response_format', 'json_object', 'prompt'] as const;

function schemaVariations({ schema_delivery, reasoning }: JsonObject): readonly Changes[] {
  const others = DELIVERIES.filter((delivery) => delivery !== schema_delivery);
  const strips = reasoning === 'keep' ? [{ reasoning: 'strip_think' }] : [];
  return [
    ...strips,
    ...others.map((delivery) => ({ schema_delivery: delivery })),
    ...strips.flatMap((strip) => others.map((delivery) => ({ ...strip, schema_delivery: delivery }))),
  ];
}
