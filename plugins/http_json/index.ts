import type {
  Capabilities,
  InvocationContext,
  Json,
  SourceAnswer,
  SourceFailure,
  SourcePending,
  SourcePlugin,
} from 'chukwa/plugin';
import { readAnswer, readPending } from './answer.js';
import { readBody } from './body.js';
import type { HttpJsonInterface } from './interface.js';
import { readRefusal } from './refusal.js';
import { toHttpRequest } from './request.js';

const plugin: SourcePlugin = {
  open(definition, capabilities) {
    const settings = definition.interface as unknown as HttpJsonInterface;
    return { names_its_calls: true, invoke: (request, context) => ask(settings, capabilities, request, context) };
  },
};

export default plugin;

async function ask(
  settings: HttpJsonInterface,
  { origin, failure, fillPath, parseJson }: Capabilities,
  request: Json,
  context: InvocationContext,
): Promise<SourceAnswer | SourcePending> {
  if (!origin) throw failure('unavailable', `${settings.url_env} is not set`);
  const { url, ...init } = toHttpRequest(settings, { origin_url: origin.url, failure, fillPath }, request, context);
  const response = await origin.fetch(url, { ...init, signal: context.signal }, context);
  const { bytes, broke } = await readBody(response);
  const facts = {
    http_status: response.status,
    response_headers: Object.fromEntries(response.headers.entries()),
    body: bytes,
    is_body_cut: broke !== undefined,
  };
  if (broke && response.ok) {
    if (!isSourceFailure(broke.thrown)) throw broke.thrown;
    throw failure(broke.thrown.failure_class, broke.thrown.message, facts);
  }
  if (!response.ok) {
    const asked = {
      method: settings.method,
      place: `${new URL(origin.url).origin}${settings.path}`,
      url_variable: settings.url_env,
      keys: [
        ...Object.values(settings.secret_headers ?? {}),
        ...(origin.connection === undefined ? [] : [`the connection ${origin.connection}`]),
      ],
    };
    const retry_after = response.headers.get('retry-after') ?? undefined;
    const refused = readRefusal({ http_status: response.status, body: bytes, retry_after }, asked);
    throw failure(refused.failure_class, refused.message, facts);
  }
  const content_type = response.headers.get('content-type') ?? '';
  const received = { http_status: response.status, content_type, body: bytes };
  if (response.status === ACCEPTED)
    return { pending: readPending(received, (text) => parseJson(text, 'strict')), facts };
  const reading = context.may_repeat ? (settings.json ?? 'strict') : 'lenient';
  const answer = readAnswer(received, (text) => parseJson(text, reading), reading === 'lenient');
  if (!answer.ok) throw failure(answer.failure_class, answer.message, facts);
  return { value: answer.value, facts };
}

/** The status of a service that accepts a call and answers later. */
const ACCEPTED = 202;

function isSourceFailure(thrown: unknown): thrown is SourceFailure {
  return typeof thrown === 'object' && thrown !== null && 'source_failure' in thrown;
}
