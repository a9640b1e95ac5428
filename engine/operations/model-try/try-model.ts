import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { ChatAnswer } from '../../contract/source.js';
import { present } from '../../contract/present.js';
import { contentHash } from '../../core/content/canonical.js';
import type { Invoke } from '../../core/protocol/command.js';
import { listDeliveries, readDelivery, readTimeout } from '../../core/binding/source-settings.js';
import type { CallBroke, CallOutcome, CallRecorder, PluginDescription, ResolvedSource } from '../../ports/sources.js';
import type { OpenSources } from '../composition.js';
import { toInvoke } from '../running/unrecorded-call.js';
import { listQuestions, type Question, type QuestionName } from './questions.js';
import { applyChanges, type Changes, listVariations } from './variations.js';

export interface TriedSource {
  readonly label: string;
  readonly interface: JsonObject & { readonly name: string };
}

export interface Try {
  /** The changes of the source for it; null removes a member. */
  readonly changes: Changes;
  readonly is_good: boolean;
  readonly looked_like: string;
  readonly failure_class?: string;
}

interface TriedQuestion {
  readonly question: QuestionName;
  /** In order; the last is good, or none is. */
  readonly tries: readonly Try[];
}

export interface ModelTrial extends ResolvedSource {
  readonly label: string;
  readonly questions: readonly TriedQuestion[];
  /**
   * Whether all questions were answered: as the source is written, or with changes; or only that for a patch, maybe with
   * others; or not even that; or the service was busy; or the operator's budget let a call not through.
   */
  readonly works: 'as_written' | 'with_changes' | 'in_part' | 'not' | 'busy' | 'over_budget';
  /** Of a busy service: its retry delay; of the budget: how long until it is renewed. */
  readonly retry_after_ms?: number;
  /** The members to write in the source; null removes one. */
  readonly changes: Changes;
}

/** A budget expects that a question and its answer, with some reasoning, use as much where their source sets no limit. */
const EXPECTED_TOKENS = 8_192;

const LIMITS = { max_runtime_ms: 600_000, max_request_bytes: 1_048_576, max_result_bytes: 1_048_576 } as const;

/**
 * Asks a model three small questions, and finds settings with which it answers them: first the source as it is written,
 * then one change after the other. Nothing is recorded.
 * @param connection the id of the one that its requests get
 */
export async function tryModel(
  opened: OpenSources,
  source: TriedSource,
  connection?: string,
): Promise<Outcome<ModelTrial>> {
  const { authoring, callSource } = opened;
  const { plugins } = authoring.catalogue;
  const plugin = plugins.find(({ name }) => name === source.interface.name);
  if (plugin?.speaks !== 'chat') {
    const chat = plugins.flatMap(({ name, speaks }) => (speaks === 'chat' ? [name] : []));
    const found = { source: source.label, plugin: source.interface.name, is_there: plugin !== undefined, chat };
    return refuse(problem('SOURCE_IS_NO_MODEL', found));
  }
  const patch = authoring.shippedSchemas.get('world-patch.schema.json');
  if (patch === undefined) throw new Error('the shipped schema world-patch is missing');
  let resolved: ResolvedSource = {};
  const recorder: CallRecorder = { started: async (known) => void (resolved = known), flushed: async () => {} };
  const asked = async (question: Question, changes: Changes): Promise<CallOutcome> => {
    const command = toCommand(plugin, source, { question, changes, connection });
    const { signal } = new AbortController();
    const result = await callSource(
      command,
      { client_request_id: `try/turn-1/${question.name}`, correlation_id: 'try', signal },
      recorder,
    );
    if (result.status === 'pending' || result.status === 'unapproved') throw new Error('a model does not answer later');
    return result;
  };
  const questions = listQuestions(patch, (schema) => {
    const compiled = authoring.compileSchema(contentHash(schema), schema);
    if (!compiled.ok) throw new Error('the composed schema does not compile');
    return compiled.value;
  });
  const { tried, changes, busy } = await askAll(
    questions,
    async ({ has_schema }, found) => {
      const own = await opened.listVariations(plugin.name, source.interface, { has_schema });
      return listVariations(plugin.manifest, source.interface, { found, own, has_schema });
    },
    asked,
  );
  if (busy) {
    const wait = present({ retry_after_ms: busy.retry_after_ms });
    const works = isOverBudget(busy) ? 'over_budget' : 'busy';
    return succeed({ label: source.label, ...resolved, questions: tried, works, changes, ...wait });
  }
  const good = tried.filter(({ tries }) => tries.at(-1)?.is_good === true).map(({ question }) => question);
  const whole = Object.keys(changes).length === 0 ? 'as_written' : 'with_changes';
  const part = good.includes('schema') ? 'in_part' : 'not';
  const works = good.length === questions.length ? whole : part;
  return succeed({ label: source.label, ...resolved, questions: tried, works, changes });
}

async function askAll(
  questions: readonly Question[],
  vary: (question: Question, found: Changes) => Promise<readonly Changes[]>,
  asked: (question: Question, changes: Changes) => Promise<CallOutcome>,
): Promise<{ readonly tried: readonly TriedQuestion[]; readonly changes: Changes; readonly busy?: CallBroke }> {
  const tried: TriedQuestion[] = [];
  let changes: Changes = {};
  for (const question of questions) {
    const tries: Try[] = [];
    for (const variation of await vary(question, changes)) {
      const outcome = await asked(question, variation);
      const made = toTry(question, variation, outcome);
      tries.push(made);
      if (made.is_good) changes = variation;
      if (isBusy(outcome) || isOverBudget(outcome))
        return { tried: [...tried, { question: question.name, tries }], changes, busy: outcome };
      if (made.is_good || isHopeless(outcome)) break;
    }
    tried.push({ question: question.name, tries });
    if (tries.some(({ failure_class }) => failure_class === undefined)) continue;
    // A model that gives no answer to the plain question gives none to the others.
    if (question.name === 'plain') break;
  }
  return { tried, changes };
}

interface Asked {
  readonly question: Question;
  readonly changes: Changes;
  readonly connection: string | undefined;
}

function toCommand(
  { manifest }: Pick<PluginDescription, 'manifest'>,
  source: TriedSource,
  { question, changes, connection }: Asked,
): Invoke {
  const wire = applyChanges(source.interface, changes) as TriedSource['interface'];
  const delivery = readDelivery(manifest, wire) ?? 'prompt';
  const plain = listDeliveries(manifest).find((known) => known.delivery === 'prompt');
  const settings = question.has_schema ? wire : { ...wire, ...plain?.changes };
  const max_runtime_ms = readTimeout(manifest, wire) ?? LIMITS.max_runtime_ms;
  const { label } = source;
  const generation = question.generation(delivery);
  const asked = {
    key: question.name,
    label,
    interface: settings,
    request: null,
    generation,
    connection,
    ...LIMITS,
    max_runtime_ms,
  };
  const command = toInvoke(asked);
  return command.call.source.output_limit === undefined ? { ...command, node_tokens_left: EXPECTED_TOKENS } : command;
}

function toTry({ findFault }: Question, changes: Changes, outcome: CallOutcome): Try {
  if (outcome.status === 'failed') {
    const { failure_class, failure_message } = outcome;
    return { changes, is_good: false, looked_like: failure_message, failure_class };
  }
  const { text, finish_reason } = outcome.answer as unknown as ChatAnswer;
  const fault = findFault(text, finish_reason);
  const looked_like = fault === undefined ? describe(outcome, text) : `${describe(outcome, text)}; ${fault}`;
  return { changes, is_good: fault === undefined, looked_like };
}

function describe({ trace, usage, duration_ms }: CallOutcome, text: string): string {
  const pieces = trace?.chunks?.lengths.length ?? 0;
  const artifacts = trace?.artifacts ?? [];
  const reasoning = artifacts.find(({ kind }) => kind === 'reasoning')?.value;
  const provider = artifacts.find(({ kind }) => kind === 'provider')?.value as JsonObject | undefined;
  const from = provider?.['reasoning_from'];
  return [
    `${plural(text.length, 'character')} in ${plural(pieces, 'piece')}, in ${duration_ms} ms`,
    ...(typeof reasoning === 'string'
      ? [
          `${plural(reasoning.length, 'character')} of reasoning beside them (${Array.isArray(from) ? from.join(', ') : 'reasoning'})`,
        ]
      : []),
    usage === undefined
      ? 'no token counts'
      : `${plural(usage.input_tokens, 'token')} in and ${usage.output_tokens} out`,
    ...(provider?.['ended_by'] === '[DONE]' ? ['ended by [DONE] without a reason'] : []),
  ].join(', ');
}

function plural(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`;
}

/** Too Many Requests, Service Unavailable: no setting is at fault. */
const BUSY_STATUSES: readonly number[] = [429, 503];

function isBusy(outcome: CallOutcome): outcome is CallBroke {
  if (outcome.status !== 'failed' || outcome.failure_class !== 'http_status') return false;
  return BUSY_STATUSES.includes(outcome.http_status ?? 0);
}

function isOverBudget(outcome: CallOutcome): outcome is CallBroke {
  return outcome.status === 'failed' && outcome.failure_class === 'budget_exhausted';
}

/** Too Many Requests is among them where the quota is used up. */
const HOPELESS_STATUSES: readonly number[] = [401, 402, 403, 404, 429];

function isHopeless(outcome: CallOutcome): boolean {
  if (outcome.status !== 'failed') return false;
  if (outcome.http_status === undefined) return true;
  return HOPELESS_STATUSES.includes(outcome.http_status);
}
