/** `request.js` */
export const requestModule = `// @ts-check

/**
 * What a source says under "interface"; interface.schema.json has checked it.
 * @typedef {{ readonly name: string, readonly url_env: string, readonly path: string }} Interface
 */

/**
 * What to ask: pure, so that it can be tested with values.
 * @param {Interface} told
 * @param {string} originUrl where the operator says that the service is, without a slash at its end
 * @param {import('chukwa/plugin').Json} request what a binding or a model asks; never change it
 * @returns {string}
 */
export function toUrl(told, originUrl, request) {
  const members = typeof request === 'object' && request !== null ? Object.entries(request) : [];
  const query = new URLSearchParams();
  for (const [name, value] of members) query.append(name, toText(value));
  return \`\${originUrl}\${told.path}?\${query}\`;
}

/**
 * @param {import('chukwa/plugin').Json} value
 * @returns {string}
 */
function toText(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
`;

/** `answer.js` */
export const answerModule = `// @ts-check

/**
 * What came back: JSON, or why it is not an answer.
 * @typedef {{ readonly ok: true, readonly value: import('chukwa/plugin').Json }
 *   | { readonly ok: false, readonly failure_class: import('chukwa/plugin').SourceFailureClass, readonly message: string }} Answer
 */

/**
 * What an answer means: pure, so that it can be tested with values.
 * @param {number} status
 * @param {string} text
 * @param {import('chukwa/plugin').Capabilities['parseJson']} parseJson
 * @returns {Answer}
 */
export function readAnswer(status, text, parseJson) {
  if (status < 200 || status > 299) {
    return { ok: false, failure_class: 'http_status', message: \`the service answered with status \${status}\` };
  }
  const parsed = parseJson(text);
  if (parsed.ok) return parsed;
  return { ok: false, failure_class: 'non_json', message: \`the service did not answer with JSON: \${parsed.reason}\` };
}
`;

/** `index.js` */
export const entryModule = `// @ts-check
import { readAnswer } from './answer.js';
import { toUrl } from './request.js';

/** @typedef {import('./request.js').Interface} Interface */

/** @type {import('chukwa/plugin').SourcePlugin} */
const plugin = {
  open(definition, { origin, failure, parseJson }) {
    const told = /** @type {Interface} */ (/** @type {unknown} */ (definition.interface));
    return {
      async invoke(request, context) {
        if (!origin) throw failure('unavailable', \`\${told.url_env} is not set\`);
        const response = await origin.fetch(toUrl(told, origin.url, request), {
          headers: { accept: 'application/json', 'x-client-request-id': context.client_request_id },
          signal: context.signal,
        });
        const text = await response.text();
        const facts = {
          http_status: response.status,
          response_headers: Object.fromEntries(response.headers.entries()),
          body: new TextEncoder().encode(text),
        };
        const answer = readAnswer(response.status, text, parseJson);
        if (!answer.ok) throw failure(answer.failure_class, answer.message, facts);
        return { value: answer.value, facts };
      },
    };
  },
};

export default plugin;
`;
