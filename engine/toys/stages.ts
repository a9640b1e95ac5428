import { present } from '../contract/present.js';
import type { Json, JsonObject } from '../contract/json.js';
import type { Outcome, Problem } from '../contract/problem.js';
import { startToys, TOY_PORTS } from './index.js';
import { loadAnswers, type ScriptedModel, startScriptedModel } from './scripted-model/index.js';

/** Servers that a scenario calls, on loopback, and the variables with their addresses. Close it. */
interface Stage {
  readonly variables: Readonly<Record<string, string>>;
  /** The model that replaces every other, where one was started. */
  readonly model_at?: { readonly url: string; readonly key: string };
  close(): Promise<void>;
}

/** A key for servers that need none: a real one must not reach them by accident. */
const LOOPBACK_KEY = 'loopback-needs-no-key';

/** Late enough that a turn is suspended before its letter is answered. */
const POST_DELIVERS_AFTER_MS = 3_000;

/** The toy services. @param portBase the first of their ports; free ones by default */
export async function startToyStage(portBase?: number): Promise<Stage> {
  const toys = await startToys(portBase, { delivers_after_ms: POST_DELIVERS_AFTER_MS });
  return { variables: toys.variables, close: () => toys.close() };
}

/**
 * A model that answers from a file.
 * @param validate finds the violations of `answers.schema.json`
 * @param portBase the first port of the toys, after which the model listens; a free port by default
 * @returns problems where the file cannot be used
 */
export async function startScriptedStage(
  answersFile: string,
  validate: (value: Json) => readonly Problem[],
  portBase?: number,
): Promise<Outcome<Stage>> {
  const answers = await loadAnswers(answersFile, validate);
  if (!answers.ok) return answers;
  const port = portBase === undefined ? {} : { port: portBase + TOY_PORTS };
  return { ok: true, value: toStage(await startScriptedModel(answers.value, port)) };
}

interface Question {
  readonly turn: number;
  readonly key: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly schema?: JsonObject;
}

/** A chat-completion request, as far as a person is shown it. */
interface AskedOfPerson extends Pick<Question, 'messages'> {
  readonly response_format?: { readonly json_schema?: { readonly schema?: JsonObject } };
}

/** A model whose answers a person gives; no answer means that the run is being stopped, which ends the request. */
export async function startPersonStage(answer: (question: Question) => Promise<string | undefined>): Promise<Stage> {
  const turns: Record<string, Record<string, { readonly text: string }>> = {};
  const model = await startScriptedModel({ version: 1, label: 'person', turns });
  model.onRequest(async ({ turn, key, body }) => {
    const { messages, response_format } = body as unknown as AskedOfPerson;
    const schema = response_format?.json_schema?.schema;
    const text = await answer({ turn, key, messages, ...present({ schema }) });
    if (text === undefined) return new Promise<never>(() => {});
    turns[turn] = { ...turns[turn], [key]: { text } };
  });
  return toStage(model);
}

function toStage(model: ScriptedModel): Stage {
  return {
    variables: { CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: LOOPBACK_KEY },
    model_at: { url: model.url, key: LOOPBACK_KEY },
    close: () => model.close(),
  };
}
