import type { ConformanceReport } from '../../engine/operations/plugins/index.js';

/** A plugin that keeps every rule but one: its differences from the scaffold. */
export interface Planted {
  /** The rule that it breaks; everything else passes or is not looked at. */
  readonly breaks: ConformanceReport['checks'][number]['rule'];
  readonly how: string;
  /** Texts by file, over those of the scaffold; null takes a file away. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly says: RegExp;
}

/** An entry whose `invoke` is this, with what the scaffold's has at hand. */
function entry(invoke: string, around = { head: '', members: '' }): string {
  return `import { readAnswer } from './answer.js';
import { toUrl } from './request.js';
${around.head}
export default {
  open(definition, { origin, failure, variables, log, parseJson }) {
    const settings = definition.interface;
    const ask = async (url, signal, headers = {}) => {
      const response = await origin.fetch(url, { signal, headers: { accept: 'application/json', ...headers } });
      return { response, text: await response.text() };
    };
    const finish = ({ response, text }) => {
      const answer = readAnswer(response.status, text, parseJson);
      if (!answer.ok) throw failure(answer.failure_class, answer.message);
      return { value: answer.value };
    };
    const invoke = async (request, context) => { ${invoke} };
    return { invoke, ${around.members} };
  },
};
`;
}

const ORDINARY = 'return finish(await ask(toUrl(settings, origin.url, request), context.signal));';

export const manifest = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    version: 1,
    name: 'planted',
    description: 'Made by a test.',
    contract_version: 1,
    speaks: 'json',
    interface_schema: './interface.schema.json',
    entry: './index.js',
    origin: { interface_field: 'url_env' },
    ...more,
  });

const SETTINGS = { name: 'planted', url_env: 'CHUKWA_PLANTED_URL', path: '/answers' };

/** Examples one of which is answered later. */
const ANSWERED_LATER = JSON.stringify({
  version: 1,
  examples: [
    {
      name: 'at once',
      interface: SETTINGS,
      request: { question: '{{call}}' },
      server: [{ body: { question: { $from: '/query/question' } } }],
      expect: { value: { question: '{{call}}' } },
    },
    {
      name: 'later',
      interface: SETTINGS,
      request: { question: '{{call}}' },
      server: [{ status: 202, body: {} }],
      expect: { pending: {} },
    },
  ],
});

export const PLANTED: readonly Planted[] = [
  {
    breaks: 'files',
    how: 'makes something of a file that is no JSON',
    files: {
      'plugin.json': manifest({ origin: undefined, folder: { interface_field: 'folder_env' } }),
      'interface.schema.json': '{"type":"object","properties":{"folder_env":{"type":"string"}}}',
      'index.js': `export default {
        open: (_, { files, parseJson }) => ({
          invoke: async (request, context) => {
            const parsed = parseJson(new TextDecoder().decode(await files.read('facts.json', context)));
            return { value: parsed.ok ? parsed.value : null };
          },
        }),
      };`,
      'conformance.json': JSON.stringify({
        version: 1,
        examples: [
          {
            name: 'facts',
            interface: { name: 'planted', folder_env: 'CHUKWA_PLANTED_DIR' },
            request: null,
            files: { 'facts.json': '{"a":1}' },
            expect: { value: { a: 1 } },
          },
        ],
      }),
    },
    says: /a file that is no JSON should be reported as non_json, and it answered null/,
  },
  {
    breaks: 'manifest',
    how: 'speaks a language that there is not',
    files: { 'plugin.json': manifest({ speaks: 'xml' }) },
    says: /speaks/,
  },
  { breaks: 'manifest', how: 'has no manifest', files: { 'plugin.json': null }, says: /plugin\.json/ },
  {
    breaks: 'interface_schema',
    how: 'has a schema that is none',
    files: { 'interface.schema.json': '{"type": "nothing", "properties": {"url_env": {}}}' },
    says: /interface\.schema\.json/,
  },
  { breaks: 'entry', how: 'throws while it is imported', files: { 'index.js': 'throw new Error("no");' }, says: /no/ },
  { breaks: 'entry', how: 'exports nothing that opens', files: { 'index.js': 'export default {};' }, says: /open/ },
  {
    breaks: 'imports',
    how: 'imports a module of Node.js, two files away',
    files: {
      'index.js': `import './one.js';\n${entry(ORDINARY)}`,
      'one.js': "export * from './two.js';",
      'two.js': "// import 'node:fs'\nimport { EOL } from 'os';\nexport const END = `${EOL}`;",
    },
    says: /two\.js imports os, a module of Node\.js/,
  },
  {
    breaks: 'imports',
    how: 'imports what is only known when it runs',
    files: { 'index.js': entry(`if (settings.path === '/never') await import(settings.path); ${ORDINARY}`) },
    says: /only known when it runs/,
  },
  { breaks: 'conformance', how: 'has no examples', files: { 'conformance.json': null }, says: /is not there/ },
  {
    breaks: 'conformance',
    how: 'has an example that its own schema refuses',
    files: {
      'conformance.json': JSON.stringify({
        version: 1,
        examples: [
          { name: 'odd', interface: { name: 'planted' }, request: {}, server: [{ body: 1 }], expect: { value: 1 } },
        ],
      }),
    },
    says: /odd: its interface schema refuses/,
  },
  {
    breaks: 'inputs',
    how: 'adds to the request',
    files: { 'index.js': entry(`request.limit = 1; ${ORDINARY}`) },
    says: /the request was changed/,
  },
  {
    breaks: 'inputs',
    how: 'tidies the interface',
    files: { 'index.js': entry(`settings.path = settings.path + ''; settings.seen = true; ${ORDINARY}`) },
    says: /the interface was changed/,
  },
  {
    breaks: 'answers',
    how: 'answers with a date in place of a text',
    files: {
      'index.js': entry(
        `const { value } = await (async () => { ${ORDINARY} })(); return { value: { ...value, at: new Date(0) } };`,
      ),
    },
    says: /it should answer|not plain JSON/,
  },
  {
    breaks: 'answers',
    how: 'answers with something else than it says',
    files: { 'index.js': entry(`await (async () => { ${ORDINARY} })(); return { value: 'done' };`) },
    says: /it should answer .*and it answered "done"/,
  },
  {
    breaks: 'pending',
    how: 'says that an answer comes later, and tells nobody which',
    files: {
      'index.js': entry(`
        const { response, text } = await ask(toUrl(settings, origin.url, request), context.signal);
        return response.status === 202 ? { pending: {} } : finish({ response, text });`),
      'conformance.json': ANSWERED_LATER,
    },
    says: /no request holds the correlation_id/,
  },
  {
    breaks: 'pending',
    how: 'makes an answer of what says that the answer comes later',
    files: {
      'index.js': entry(`
        const headers = { 'x-correlation': context.correlation_id };
        const { response, text } = await ask(toUrl(settings, origin.url, request), context.signal, headers);
        return response.status === 202 && context.pending ? { pending: {} } : finish({ response, text });`),
      'conformance.json': ANSWERED_LATER,
    },
    says: /where no answer may come later it should fail as schema_invalid, and it answered/,
  },
  {
    breaks: 'way_out',
    how: 'connects by itself',
    files: {
      'index.js': entry(`
        try {
          const response = await fetch(toUrl(settings, origin.url, request), { signal: context.signal, redirect: 'manual' });
          return finish({ response, text: await response.text() });
        } catch (error) {
          throw error.source_failure ? error : failure('transport', 'it broke');
        }`),
    },
    says: /1 of 1 requests went another way/,
  },
  {
    breaks: 'once',
    how: 'tries again',
    files: {
      'index.js': entry(`
        const url = toUrl(settings, origin.url, request);
        const first = await ask(url, context.signal);
        return finish(first.response.status === 500 ? await ask(url, context.signal) : first);`),
    },
    says: /the same request 2 times/,
  },
  {
    breaks: 'typed_errors',
    how: 'throws errors of its own',
    files: {
      'index.js': entry(`
        const { response, text } = await ask(toUrl(settings, origin.url, request), context.signal);
        if (response.status === 500) throw new Error('it is out of order');
        return finish({ response, text });`),
    },
    says: /status 500 should be reported as http_status, and it threw what/,
  },
  {
    breaks: 'typed_errors',
    how: 'makes an answer of half an answer',
    files: {
      'index.js': entry(`
        const response = await origin.fetch(toUrl(settings, origin.url, request), { signal: context.signal });
        let text = '';
        try {
          for await (const piece of response.body) text += new TextDecoder().decode(piece);
        } catch (error) {
          if (context.signal.aborted || error.failure_class !== 'transport') throw error;
          return { value: text };
        }
        return finish({ response, text });`),
    },
    says: /breaks off .* it answered/,
  },
  {
    breaks: 'size_limit',
    how: 'answers with as much as it got',
    files: {
      'index.js': entry(`
        try { ${ORDINARY} } catch (error) {
          if (error.failure_class !== 'result_too_large') throw error;
          return { value: 'a lot' };
        }`),
    },
    says: /bytes it answered "a lot"/,
  },
  {
    breaks: 'abort',
    how: 'listens to the signal only once it reads',
    files: {
      'index.js': entry(`
        const response = await origin.fetch(toUrl(settings, origin.url, request));
        const reader = response.body.getReader();
        context.signal.addEventListener('abort', () => { reader.cancel(context.signal.reason).catch(() => {}); }, { once: true });
        let text = '';
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += new TextDecoder().decode(part.value);
        context.signal.throwIfAborted();
        return finish({ response, text });`),
    },
    says: /aborted while it waited for an answer, it did not end/,
  },
  {
    breaks: 'deadline',
    how: 'lets go of the signal when the answer begins',
    files: {
      'index.js': entry(`
        const controller = new AbortController();
        const abort = () => controller.abort();
        context.signal.throwIfAborted();
        context.signal.addEventListener('abort', abort);
        const response = await origin.fetch(toUrl(settings, origin.url, request), { signal: controller.signal });
        context.signal.removeEventListener('abort', abort);
        return finish({ response, text: await response.text() });`),
    },
    says: /in the middle of an answer, it did not end/,
  },
  {
    breaks: 'concurrency',
    how: 'keeps the last request outside of its call',
    files: {
      'index.js': entry(
        `last = request;
        const { value } = await (async () => { ${ORDINARY} })();
        return { value: { ...value, question: last.question } };`,
        { head: 'let last;', members: '' },
      ),
    },
    says: /it should answer/,
  },
  {
    breaks: 'secrets',
    how: 'shows the beginning of its key',
    files: {
      'plugin.json': manifest({ secret_variables: ['PLANTED_KEY'] }),
      'index.js': entry(`
        const { response, text } = await ask(toUrl(settings, origin.url, request), context.signal);
        if (response.status === 401) throw failure('http_status', 'not let in with ' + variables.PLANTED_KEY.slice(0, 12) + '...');
        return finish({ response, text });`),
    },
    says: /its outcome shows PLANTED_KEY .* a refusal/,
  },
  {
    breaks: 'secrets',
    how: 'logs its key in hexadecimal',
    files: {
      'plugin.json': manifest({ secret_variables: ['PLANTED_KEY'] }),
      'index.js': entry(`
        log('asking', { key: [...variables.PLANTED_KEY].map((letter) => letter.charCodeAt(0).toString(16)).join(' ') });
        ${ORDINARY}`),
    },
    says: /its log shows PLANTED_KEY/,
  },
  {
    breaks: 'close',
    how: 'never ends closing',
    files: { 'index.js': entry(ORDINARY, { head: '', members: 'close: () => new Promise(() => {})' }) },
    says: /closed once, it did not end/,
  },
  {
    breaks: 'close',
    how: 'answers after it was closed',
    files: { 'index.js': entry(ORDINARY, { head: '', members: 'close: async () => {}' }) },
    says: /asked after it was closed, it answered/,
  },
];

/** Played in a process of their own: a test runner would take for its own what they do, or never end. */
export const APART: readonly Planted[] = [
  {
    breaks: 'unheard',
    how: 'forgets a promise that fails',
    files: { 'index.js': entry(`void Promise.reject(new Error('forgotten')); ${ORDINARY}`) },
    says: /left to fail: Error: forgotten/,
  },
  {
    breaks: 'unheard',
    how: 'throws where nobody calls it',
    files: { 'index.js': entry(`setImmediate(() => { throw new Error('nobody calls'); }); ${ORDINARY}`) },
    says: /Error: nobody calls/,
  },
  {
    breaks: 'entry',
    how: 'starts an interval while it is imported',
    files: { 'index.js': entry(ORDINARY, { head: 'setInterval(() => {}, 1_000);', members: '' }) },
    says: /leaves something open.*: Timeout/,
  },
  {
    breaks: 'entry',
    how: 'starts a server while it is imported',
    files: {
      'index.js': entry(ORDINARY, {
        head: "process.getBuiltinModule('node:net').createServer().listen(0, '127.0.0.1');",
        members: '',
      }),
    },
    says: /leaves something open.*: TCPServerWrap/,
  },
];
