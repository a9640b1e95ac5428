// Node.js loads reporters before it can read TypeScript.

/**
 * A reporter of test runs that lists the files which did not end, and what else failed: a word and a name a line.
 * @param {AsyncIterable<{ type: string, data: { name?: string, file?: string, nesting?: number,
 *   details?: { error?: { failureType?: string } } } }>} events
 */
export default async function* listUnended(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.nesting !== 0) continue;
    const isUnended = data.name === data.file && data.details?.error?.failureType === 'testTimeoutFailure';
    yield `${isUnended ? 'unended' : 'failed'} ${data.name}\n`;
  }
}
