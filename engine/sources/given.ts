import { type Halt, halt, type Passage } from './passage.js';
import type { LoadedPlugin } from './registry.js';
import { describeAnything } from './source-failure.js';

/**
 * Reads what a plugin handed over, which may be anything: getters and proxies run the plugin's code. What cannot be read
 * is a failure of the call, and none of its driver.
 */
export function readGiven<Read>(
  passage: Passage & { readonly route: { readonly plugin: LoadedPlugin } },
  read: () => Read,
): Read | Halt {
  try {
    return read();
  } catch (thrown) {
    const message = `what the plugin ${passage.route.plugin.name} handed over cannot be read: ${describeAnything(thrown)}`;
    return halt(passage, 'transport', message);
  }
}

/** A copy of a value, which stays as it was read. What cannot be copied, such as a function, is given as it is. */
export function copyGiven(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch (error) {
    if (error instanceof DOMException) return value;
    throw error;
  }
}
