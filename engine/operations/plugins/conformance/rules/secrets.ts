import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { PluginManifest } from '../../../../generated/plugin-manifest.js';
import type { CallResult } from '../../../../ports/sources.js';
import { askThrough, variablesFor, withSession } from '../ask.js';
import { complainOf, type Rule, type Scene } from '../rule.js';
import { type Respond, type SeenRequest, withServer } from '../server.js';

/** The ways in which services echo a request. */
const ECHOES: readonly (readonly [string, Respond])[] = [
  ['an answer', (request, response) => json(response, 200, { sent: quoteRequest(request) })],
  [
    'a refusal',
    (request, response) => json(response, 401, { error: { message: `bad credentials ${quoteRequest(request)}` } }),
  ],
  ['a fault', (request, response) => json(response, 500, { error: quoteRequest(request) })],
  [
    'an event',
    (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify({ error: { message: quoteRequest(request) } })}\n\n`),
  ],
];

/** Every secret that the operator may set is a canary; everything that would be stored or logged is searched for it. */
export const secrets: Rule = {
  rule: 'secrets',
  sentence: 'No secret is in its answers, its failures or its log',
  needs: ['inputs'],
  repair:
    'Leave secrets out of messages whole: the engine replaces a secret that stands there as it is, not a part or a form of it.',
  check: (scene) => complainOf(ECHOES, ([name, respond]) => listen(scene, name, respond)),
};

async function listen({ bench, model }: Scene, name: string, respond: Respond): Promise<readonly string[]> {
  return withServer(respond, ({ url }) => {
    const { variables, canaries } = plant(bench.manifest, variablesFor(bench.manifest, model, model.server && url));
    return withSession(bench, variables, async (session) => {
      const outcome = await askThrough(bench, session, model);
      const places = { 'its outcome': storedText(outcome), 'its log': session.listLogged().join('\n') };
      return Object.entries(places).flatMap(([place, text]) =>
        canaries
          .filter(({ value }) => shows(text, value))
          .map(({ of }) => `${place} shows ${of} to whoever reads it, where a server echoes it in ${name}`),
      );
    });
  });
}

function plant({ secret_variables = [] }: PluginManifest, given: Readonly<Record<string, string>>) {
  const ofVariables = secret_variables.map((of) => ({ of, value: makeCanary() }));
  const [user, password] = [makeCanary(), makeCanary()];
  const urls = Object.entries(given).filter(([, value]) => value.startsWith('http://127.0.0.1:'));
  const credentials = urls.map(([name, value]) => [name, value.replace('://', `://${user}:${password}@`)] as const);
  return {
    variables: {
      ...given,
      ...Object.fromEntries(ofVariables.map(({ of, value }) => [of, value])),
      ...Object.fromEntries(credentials),
    },
    canaries: [
      ...ofVariables,
      ...urls.flatMap(([name]) => [
        { of: `the user in ${name}`, value: user },
        { of: `the password in ${name}`, value: password },
      ]),
    ],
  };
}

function makeCanary(): string {
  return randomBytes(16).toString('hex');
}

/** A match of so many characters of a canary is no coincidence. */
const WINDOW = 10;

/** Whether a text holds a substantial part of a secret: as it is, interspersed, reversed, in hexadecimal or base64. */
function shows(text: string, secret: string): boolean {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const hex = Buffer.from(secret).toString('hex');
  const spellings = [secret, Array.from(secret).toReversed().join(''), hex];
  if (spellings.some((spelling) => windowsOf(spelling).some((part) => plain.includes(part)))) return true;
  return [0, 1, 2].some((shift) => text.includes(innerBase64(secret, shift)));
}

function windowsOf(text: string): readonly string[] {
  return Array.from({ length: text.length - WINDOW + 1 }, (_, at) => text.slice(at, at + WINDOW));
}

/** The part of a secret's base64 that does not depend on the bytes around it. */
function innerBase64(secret: string, shift: number): string {
  const FULL = 3;
  const encoded = Buffer.from(' '.repeat(shift) + secret).toString('base64');
  const groups = encoded.replace(/=+$/, '').slice(shift === 0 ? 0 : FULL + 1);
  return groups.slice(0, groups.length - FULL);
}

function storedText(result: CallResult): string {
  const { response_body, ...rest } = { response_body: undefined, ...result };
  const trace = 'trace' in result ? result.trace : undefined;
  const bytes = [response_body, trace?.chunks?.text].map((part) => Buffer.from(part ?? []).toString('latin1'));
  return [JSON.stringify(rest), JSON.stringify(trace?.artifacts ?? []), ...bytes].join('\n');
}

function quoteRequest({ headers, text }: SeenRequest): string {
  return `${JSON.stringify(headers)} ${text}`;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
