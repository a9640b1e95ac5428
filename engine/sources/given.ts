import type { ParsedAnswer } from '../contract/source.js';
import { toJson } from '../core/content/i-json.js';
import { describeFaultPlace, parseJson, type Reading } from '../core/content/parse-json.js';
import { type Halt, halt, type Passage } from './passage.js';
import type { DescribedPlugin } from './registry.js';
import { describeThrown } from './source-failure.js';

/**
 * Reads a plugin's value, which may be anything: getters and proxies run the plugin's code. An unreadable value is a
 * failure of the call, and none of its driver.
 */
export function readGiven<Read>(
  passage: Passage & { readonly route: { readonly plugin: DescribedPlugin } },
  read: () => Read,
): Read | Halt {
  try {
    return read();
  } catch (thrown) {
    const message = `what the plugin ${passage.route.plugin.name} handed over cannot be read: ${describeThrown(thrown)}`;
    return halt(passage, 'transport', message);
  }
}

/**
 * A copy of a value, which stays as it was read. A value that is no JSON may not even be copied, and is given as it is.
 * @throws every error of reading it; also where it looks like JSON and cannot be copied, as a proxy
 */
export function copyGiven(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch (error) {
    if (toJson(value).ok) throw error;
    return value;
  }
}

/** Parses what a source answered. The reasons name no member: redaction may hide it. */
export function parseAnswer(text: string, reading?: Reading): ParsedAnswer {
  const parsed = parseJson(text, reading);
  if (!parsed.ok) {
    const { fault } = parsed;
    return { ok: false, reason: describeFaultPlace(fault), ...(fault.pointer === undefined ? {} : { is_json: true }) };
  }
  const { value, replaced } = parsed;
  return { ok: true, value, ...(replaced && { replaced: describeFaultPlace(replaced) }) };
}
