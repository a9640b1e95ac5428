// @ts-check

/** @type {import('chukwa/plugin').SourcePlugin} */
const plugin = {
  listVariations: ({ think = true }) => (think ? [{ think: false }] : []),
  open: ({ interface: settings }, capabilities) => ({
    names_its_calls: true,
    invoke: (request, context) => ask(settings, capabilities, request, context),
  }),
};

export default plugin;

/**
 * @param {import('chukwa/plugin').JsonObject} settings
 * @param {import('chukwa/plugin').Capabilities} capabilities
 * @param {import('chukwa/plugin').Json} request
 * @param {import('chukwa/plugin').InvocationContext} context
 * @returns {Promise<import('chukwa/plugin').SourceAnswer>}
 */
async function ask(
  settings,
  { origin, model, variables, failure, quote, parseJson },
  { messages, output_schema },
  context,
) {
  if (origin === undefined || model === undefined) throw failure('unavailable', 'no server or no model is set');
  const token = variables['CHUKWA_OLLAMA_TOKEN'];
  const response = await origin.fetch(
    `${origin.url}/api/chat`,
    {
      method: 'POST',
      signal: context.signal,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        stream: true,
        think: settings['think'] ?? true,
        ...(output_schema
          ? { format: output_schema.schema }
          : settings['form'] === 'some_json'
            ? { format: 'json' }
            : {}),
      }),
    },
    context,
  );
  const facts = { http_status: response.status, response_headers: Object.fromEntries(response.headers.entries()) };
  if (!response.ok) {
    const said = await response.text();
    throw failure('http_status', `the server answered with status ${response.status}: ${quote(said)}`, {
      ...facts,
      body: new TextEncoder().encode(said),
    });
  }
  return { value: { ...(await readPieces(response, { failure, parseJson, trace: context.trace, facts })) }, facts };
}

/**
 * @typedef {{ readonly message?: { readonly content?: string }, readonly done?: boolean, readonly done_reason?: string,
 *   readonly prompt_eval_count?: number, readonly eval_count?: number }} Piece
 */

/**
 * @param {Response} response
 * @param {Pick<import('chukwa/plugin').Capabilities, 'failure' | 'parseJson'> & { trace: import('chukwa/plugin').TraceSink, facts: import('chukwa/plugin').TransportFacts }} outside
 * @returns {Promise<import('chukwa/plugin').ChatAnswer>}
 */
async function readPieces(response, { failure, parseJson, trace, facts }) {
  let text = '';
  for await (const line of lines(response)) {
    const parsed = parseJson(line);
    if (!parsed.ok) throw failure('non_json', `the server did not answer with JSON: ${parsed.reason}`, facts);
    const piece = /** @type {Piece} */ (parsed.value);
    const content = piece.message?.content ?? '';
    if (content !== '') trace.chunk(content);
    text += content;
    if (!piece.done) continue;
    trace.tokens({ input_tokens: piece.prompt_eval_count ?? 0, output_tokens: piece.eval_count ?? 0 });
    return { text, finish_reason: piece.done_reason ?? 'stop' };
  }
  throw failure('transport', 'the answer broke off', facts);
}

/** @param {Response} response */
async function* lines(response) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body ?? []))) {
    const whole = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = whole.pop() ?? '';
    yield* whole.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}
