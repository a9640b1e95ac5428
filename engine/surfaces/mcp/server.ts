import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../contract/json.js';
import type { BegunTask, Offer, Task, Tasks } from './offer.js';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** Makes the server of one connection, or of one request, in whichever era of the protocol it speaks. */
export function openServer(offer: Offer, { capabilities, ...options }: ServerOptions = {}): Server {
  const extensions = { [TASKS_EXTENSION]: {}, [UI_EXTENSION]: {} };
  const own = { tools: {}, resources: {}, prompts: {}, extensions };
  const server = new TaskServer(
    { name: 'chukwa', version: offer.version },
    { instructions: offer.instructions, capabilities: { ...own, ...capabilities }, ...options },
  );
  const tools = new Map(offer.tools.map((offered) => [offered.tool.name, offered]));
  server.setRequestHandler('tools/list', () => ({ tools: offer.tools.map(({ tool }) => tool) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: said = {} } }, context) => {
    const offered = tools.get(name);
    if (offered === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        (Object.hasOwn(offer.retired, name) && offer.retired[name]) || `Unknown tool: ${name}`,
      );
    // The subclass below lets a task pass, which the type of this result does not know.
    return (await offered.call(said as JsonObject, {
      context,
      takes_task: takesTasks(server, context),
    })) as CallToolResult;
  });
  server.setRequestHandler('resources/list', () => ({ resources: [...offer.resources] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...offer.templates] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = await offer.read(uri);
    if (found === undefined) throw new ResourceNotFoundError(uri);
    return found;
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: offer.prompts.map(({ prompt }) => prompt) }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: said = {} } }, context) => {
    const offered = offer.prompts.find(({ prompt }) => prompt.name === name);
    if (offered === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    const missing = offered.prompt.arguments?.find((one) => one.required === true && !(one.name in said));
    if (missing !== undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} needs ${missing.name}`);
    return offered.get(said, context);
  });
  addTaskMethods(server, offer.tasks);
  return server;
}

/** A request of this era declares the extension itself, one of an earlier era with its connection. */
function takesTasks(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const { extensions = {} } = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}) as {
    readonly extensions?: object;
  };
  return TASKS_EXTENSION in extensions;
}

const TASK_REQUEST = fromJsonSchema<{ readonly taskId: string }>({
  type: 'object',
  required: ['taskId'],
  properties: { taskId: { type: 'string' } },
});

function addTaskMethods(server: Server, tasks: Tasks): void {
  const answer = (method: string, act: (task: Task, said: JsonObject) => Promise<object>): void =>
    server.setRequestHandler(method, { params: TASK_REQUEST }, async ({ taskId }, context) => {
      if (!takesTasks(server, context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
        });
      const task = await tasks.find(taskId);
      if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown task: ${taskId}`);
      return { ...(await act(task, (context.mcpReq.inputResponses ?? {}) as JsonObject)) };
    });
  answer('tasks/get', async (task) => task);
  answer('tasks/cancel', async (task) => (await tasks.cancel(task), {}));
  answer('tasks/update', async (task, said) => (await tasks.update(task, said), {}));
}

/* oxlint-disable no-underscore-dangle -- the name that the protocol's own class gives to what its subclasses change */
/** The base class checks that a tool answers with a result; a task is another answer. */
class TaskServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    if (method !== 'tools/call') return super._wrapHandler(method, handler);
    return async (request: Parameters<typeof handler>[0], context: ServerContext) => {
      let begun: BegunTask | undefined;
      const checked = super._wrapHandler(method, async (...given) => {
        const result = (await handler(...given)) as Partial<BegunTask>;
        if (result.resultType !== 'task') return result;
        begun = result as BegunTask;
        return { content: [] };
      });
      const result = await checked(request, context);
      return begun === undefined ? result : { ...begun };
    };
  }
}

export type { Server };
