import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../engine/contract/json.js';
import type { BegunTask, Offer, OfferedPrompt, OfferedTool, Task, Tasks } from '../../engine/surfaces/mcp/offer.js';
import { openServer, TASKS_EXTENSION } from '../../engine/surfaces/mcp/server.js';

// What the conformance suite of the protocol wants a server to have, offered by the same adapter as the catalogue is.

const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

type Call = (said: JsonObject, context: ServerContext) => Promise<object> | object;

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
const image = { type: 'image', data: IMAGE, mimeType: 'image/png' };
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function tool(name: string, call: Call, inputSchema: object = { type: 'object' }): OfferedTool {
  return {
    tool: { name, description: `The tool ${name} of the suite.`, inputSchema: inputSchema as { type: 'object' } },
    call: async (said, { context }) => (await call(said, context)) as ReturnType<typeof text> as never,
  };
}

const ask = (message: string, properties: object, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
});
const sample = (question: string, maxTokens = 100) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens },
});
const ROOTS = { method: 'roots/list', params: {} };
const NAME = ask('What is your name?', { name: { type: 'string' } });

const codec = createRequestStateCodec({
  key: new TextEncoder().encode('a key of at least thirty-two bytes, for tests'),
});

const need = async (inputRequests: object, state?: string) =>
  inputRequired({
    inputRequests: inputRequests as InputRequests,
    ...(state === undefined ? {} : { requestState: await codec.mint(state) }),
  });

const said = (context: ServerContext, key: string): Record<string, unknown> | undefined =>
  context.mcpReq.inputResponses?.[key] as Record<string, unknown> | undefined;

const declared = (context: ServerContext): Readonly<Record<string, unknown>> =>
  ((context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ??
    {}) as Readonly<Record<string, unknown>>;

async function report(context: ServerContext): Promise<object> {
  const { _meta: { progressToken } = {} } = context.mcpReq;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await wait(50);
  }
  return text('done');
}

async function log(context: ServerContext): Promise<object> {
  for (const sentence of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await context.mcpReq.log('info', sentence);
    await wait(50);
  }
  return text('done');
}

const elicit = async (context: ServerContext, message: string, properties: object, required: string[] = []) => {
  const answer = await context.mcpReq.elicitInput({
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: properties as never, required },
  });
  return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
};

const choices = (kind: 'oneOf' | 'anyOf') => ({
  [kind]: ['First', 'Second', 'Third'].map((word, at) => ({ const: `value${at + 1}`, title: `${word} Option` })),
});
const OPTIONS = ['option1', 'option2', 'option3'];

const TOOLS: readonly OfferedTool[] = [
  tool('test_simple_text', () => text('This is a simple text response for testing.')),
  tool('test_image_content', () => ({ content: [image] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  })),
  tool('test_tool_with_logging', (_, context) => log(context)),
  tool('test_logging_tool', (_, context) => log(context)),
  tool('test_tool_with_progress', (_, context) => report(context)),
  tool('test_error_handling', () => ({
    isError: true,
    ...text('This tool intentionally returns an error for testing'),
  })),
  tool('test_sampling', async ({ prompt }, context) => {
    const { content } = await context.mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(prompt) } }],
      maxTokens: 100,
    });
    return text(`LLM response: ${JSON.stringify(content)}`);
  }),
  tool('test_elicitation', ({ message }, context) =>
    elicit(
      context,
      JSON.stringify(message),
      { username: { type: 'string', description: "User's response" }, email: { type: 'string' } },
      ['username', 'email'],
    ),
  ),
  tool('test_elicitation_sep1034_defaults', (_, context) =>
    elicit(context, 'Please review', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  tool('test_elicitation_sep1330_enums', (_, context) =>
    elicit(context, 'Please choose', {
      untitledSingle: { type: 'string', enum: OPTIONS },
      titledSingle: { type: 'string', ...choices('oneOf') },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
      titledMulti: { type: 'array', items: choices('anyOf') },
    }),
  ),
  tool('test_missing_capability', (_, context) => {
    if (!('sampling' in declared(context)))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return text('done');
  }),
  tool('test_streaming_elicitation', () => need({ name: NAME })),
  tool('test_input_required_result_elicitation', async (_, context) => {
    const name = (said(context, 'user_name')?.['content'] as { readonly name?: string } | undefined)?.name;
    return name === undefined ? need({ user_name: NAME }) : text(`Hello, ${name}!`);
  }),
  tool('test_input_required_result_sampling', async (_, context) =>
    said(context, 'capital_question') === undefined
      ? need({ capital_question: sample('What is the capital of France?') })
      : text(JSON.stringify(said(context, 'capital_question'))),
  ),
  tool('test_input_required_result_list_roots', async (_, context) =>
    said(context, 'client_roots') === undefined
      ? need({ client_roots: ROOTS })
      : text(JSON.stringify(said(context, 'client_roots'))),
  ),
  tool('test_input_required_result_request_state', async (_, context) =>
    context.mcpReq.requestState() === 'confirming' && said(context, 'confirm') !== undefined
      ? text('state-ok')
      : need({ confirm: ask('Please confirm', { ok: { type: 'boolean' } }) }, 'confirming'),
  ),
  tool('test_input_required_result_tampered_state', async (_, context) =>
    context.mcpReq.requestState() === 'protected'
      ? text('state-ok')
      : need({ confirm: ask('Please confirm', { ok: { type: 'boolean' } }) }, 'protected'),
  ),
  tool('test_input_required_result_multiple_inputs', async (_, context) =>
    ['user_name', 'greeting', 'client_roots'].every((key) => said(context, key) !== undefined)
      ? text('all are there')
      : need({ user_name: NAME, greeting: sample('Generate a greeting', 50), client_roots: ROOTS }, 'several'),
  ),
  tool('test_input_required_result_multi_round', async (_, context) => {
    const state = context.mcpReq.requestState();
    if (state === 'second' && said(context, 'step2') !== undefined) return text('done');
    if (state === 'first' && said(context, 'step1') !== undefined)
      return need({ step2: ask('Step 2: What is your favorite color?', { color: { type: 'string' } }) }, 'second');
    return need({ step1: ask('Step 1: What is your name?', { name: { type: 'string' } }) }, 'first');
  }),
  tool('test_input_required_result_capabilities', (_, context) =>
    need({
      ...('sampling' in declared(context) ? { question: sample('What is the capital of France?') } : {}),
      ...('elicitation' in declared(context) ? { name: NAME } : {}),
    }),
  ),
  tool('greet', ({ name }) => text(`Hello, ${name as string}!`)),
];

const message = (content: object) => ({ role: 'user', content });

function prompt(name: string, takes: readonly string[], get: (said: Readonly<Record<string, string>>) => object[]) {
  return {
    prompt: {
      name,
      description: `The prompt ${name} of the suite.`,
      arguments: takes.map((one) => ({ name: one, required: true })),
    },
    get: (given: Readonly<Record<string, string>>) => ({ messages: get(given) as never }),
  };
}

const PROMPTS: readonly OfferedPrompt[] = [
  prompt('test_simple_prompt', [], () => [message({ type: 'text', text: 'This is a simple prompt for testing.' })]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [
    message({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) => [
    message({
      type: 'resource',
      resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    }),
    message({ type: 'text', text: 'Please process the embedded resource above.' }),
  ]),
  prompt('test_prompt_with_image', [], () => [
    message(image),
    message({ type: 'text', text: 'Please analyze the image above.' }),
  ]),
  {
    prompt: { name: 'test_input_required_result_prompt', description: 'A prompt that asks first.' },
    get: async (_, context) =>
      said(context, 'user_context') === undefined
        ? need({ user_context: ask('What context should the prompt use?', { context: { type: 'string' } }) })
        : {
            messages: [
              { role: 'user', content: { type: 'text', text: JSON.stringify(said(context, 'user_context')) } },
            ],
          },
  },
];

const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', mimeType: 'text/plain' },
];

async function read(uri: string) {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const shown = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: shown }] };
  }
  const found = RESOURCES.find((one) => one.uri === uri);
  if (found === undefined) return undefined;
  const { mimeType } = found;
  if (mimeType === 'image/png') return { contents: [{ uri, mimeType, blob: IMAGE }] };
  return { contents: [{ uri, mimeType, text: 'This is the content of the static text resource.' }] };
}

/** Work that ends by itself, that waits for inputs, or that fails. */
interface Job {
  task: Task;
  readonly ends_at: number;
  readonly outcome: Pick<Task, 'result' | 'error'>;
  readonly asked: Record<string, object>;
  readonly answers: Record<string, unknown>;
}

function openJobs() {
  const jobs = new Map<string, Job>();
  const begin = (ms: number, outcome: Job['outcome'], asked: Record<string, object> = {}): BegunTask => {
    const now = new Date().toISOString();
    const task: Task = {
      taskId: `job-${jobs.size + 1}`,
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: 600_000,
      pollIntervalMs: 100,
    };
    jobs.set(task.taskId, { task, ends_at: Date.now() + ms, outcome, asked, answers: {} });
    return { ...task, resultType: 'task' };
  };
  const tasks: Tasks = {
    async find(taskId) {
      const job = jobs.get(taskId);
      if (job === undefined) return undefined;
      const left = Object.entries(job.asked).filter(([key]) => !(key in job.answers));
      if (job.task.status === 'cancelled') return job.task;
      if (left.length > 0)
        return { ...job.task, status: 'input_required', inputRequests: Object.fromEntries(left) as JsonObject };
      if (Date.now() < job.ends_at) return job.task;
      return { ...job.task, status: job.outcome.error === undefined ? 'completed' : 'failed', ...job.outcome };
    },
    async cancel({ taskId, status }) {
      const job = jobs.get(taskId);
      if (job !== undefined && status !== 'completed' && status !== 'failed')
        job.task = { ...job.task, status: 'cancelled' };
    },
    async update({ taskId }, answers) {
      Object.assign(jobs.get(taskId)?.answers ?? {}, answers);
    },
  };
  return { begin, tasks };
}

const NEEDS_TASKS = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
const CONFIRM = ask('Really?', { confirm: { type: 'boolean' } });

function jobTools({ begin }: Pick<ReturnType<typeof openJobs>, 'begin'>): readonly OfferedTool[] {
  const job = (
    name: string,
    start: (said: JsonObject) => Parameters<typeof begin>,
    is_required = false,
    first?: (context: ServerContext) => object | undefined,
  ): OfferedTool => ({
    ...tool(name, () => text('')),
    async call(given, { takes_task, context }) {
      if (!takes_task && is_required) throw new MissingRequiredClientCapabilityError(NEEDS_TASKS);
      const before = first?.(context);
      if (before !== undefined) return before as never;
      const [ms, outcome, asked] = start({ ...given, said: context.mcpReq.inputResponses as never });
      if (takes_task) return begin(ms, outcome, asked);
      return outcome.result as never;
    },
  });
  const done = (sentence: string) => ({ result: text(sentence) as unknown as JsonObject });
  return [
    job('slow_compute', ({ seconds, label }) => [Number(seconds) * 1_000, done(`computed ${JSON.stringify(label)}`)]),
    job('failing_job', () => [500, { result: { isError: true, ...text('it failed') } }], true),
    job('protocol_error_job', () => [100, { error: { code: -32_603, message: 'it broke' } }]),
    job('confirm_delete', () => [0, done('deleted'), { confirm: CONFIRM }]),
    job('multi_input', () => [0, done('both'), { first: CONFIRM, second: CONFIRM }]),
    job(
      'test_tool_with_task',
      ({ said: answers }) => [100, done(JSON.stringify(answers))],
      true,
      (context) => (said(context, 'user_name') === undefined ? need({ user_name: NAME }) : undefined),
    ),
  ];
}

/** A maker of servers that share their jobs, each of which has all that the suite asks for. */
export function openEverything(): () => Server {
  const jobs = openJobs();
  const offer: Offer = {
    version: '1',
    instructions: 'For the conformance suite.',
    tools: [...TOOLS, ...jobTools(jobs)],
    retired: {},
    resources: RESOURCES,
    templates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
    prompts: PROMPTS,
    read,
    tasks: jobs.tasks,
  };
  return () => {
    const server = openServer(offer, {
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
      requestState: { verify: codec.verify },
    });
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
    server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris'], total: 1 } }));
    return server;
  };
}
