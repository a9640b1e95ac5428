import { present } from '../contract/present.js';
import { redact } from '../core/content/redact.js';
import type { Validate } from '../core/protocol/program.js';
import { problem, type Problem, refuse } from '../contract/problem.js';
import { findInvisible } from '../core/content/variable-value.js';
import type { AnswerCall } from '../ports/answers.js';
import type {
  CallSource,
  FindModel,
  FindObstacle,
  ListVariations,
  MakeCallback,
  ModelPlace,
  PluginCatalogue,
  ReceiveReport,
  ReplaceSecrets,
} from '../ports/sources.js';
import type { ConnectionStore, TestConnection } from '../ports/connections.js';
import type { CompileSchema } from '../ports/validation.js';
import { listAllSecrets, NO_CONNECTIONS, openBroker } from './connections/broker.js';
import { openChildren } from './children.js';
import { timerAlarm } from './timer-alarm.js';
import { createOpenedSources, type GetPlugin, type OpenedSourcesParts } from './opened-sources.js';
import type { LookUpVariable } from './origin.js';
import { openOriginFetches } from './origin-fetch.js';
import { openAdmission } from './admission.js';
import type { FlightLimits } from './admission-table.js';
import { createCallSource, createReceiveReport, createReplaceSecrets, type PipelineParts } from './pipeline.js';
import type { PluginPlaces } from './plugin-places.js';
import { importEntry } from './import-entry.js';
import { type DescribedPlugin, describePlugins, type FindConfirmed, findPlugins } from './registry.js';
import { findShortSecret } from './secrets.js';
import { NO_WAY_OUT, standInFor, toDry, withoutWayOut } from './stand-in.js';
import { findModel, findObstacle } from './stages/resolve.js';
import type { Authorise } from './authorise.js';

export { createExamineOrigin } from './examine-origin.js';
export type { Log, Remark } from './opened-sources.js';
export type { LookUpVariable } from './origin.js';
export { createPreparePlugin } from './bench.js';
export type { FlightLimits } from './admission-table.js';
export type { PluginPlaces } from './plugin-places.js';
export type { Secret } from './secrets.js';
export { askAuthoriser } from './authorise.js';
export type { AuthorisationQuestion, Authorise, Authoriser } from './authorise.js';

export interface SourcesParts
  extends PluginPlaces,
    Pick<OpenedSourcesParts, 'lookUp' | 'own_folders' | 'own_secrets' | 'clock' | 'log'> {
  /** Overrides the environment: `park` sets the origins of its toys. */
  readonly overlay?: Readonly<Record<string, string>>;
  readonly compileSchema: CompileSchema;
  readonly validateManifest: Validate;
  /** Nothing is confirmed, unless it is given. */
  readonly findConfirmed?: FindConfirmed;
  /** The model to ask, where a source lets a variable name it: overrides that variable. */
  readonly model?: string;
  /** The model that is called in the place of every other, by every plugin. */
  readonly model_at?: ModelPlace;
  /** How many calls are made at a time; any number, unless it is given. */
  readonly flight_limits?: FlightLimits;
  /** Each of them must allow a call; without one, everybody may make it. */
  readonly authorise?: readonly Authorise[];
  /** The operator's connections; there are none, unless they are given. */
  readonly connection_store?: ConnectionStore;
  /** Where answers that come later are taken; nowhere, unless it is given. */
  readonly makeCallback?: MakeCallback;
  /** In a dry run: answers every call in the place of plugins, of which none is reached then. */
  readonly answerCall?: AnswerCall;
}

export interface Sources {
  readonly catalogue: PluginCatalogue;
  /** The settings that the operator has to correct before any call. */
  readonly refused: readonly Problem[];
  readonly callSource: CallSource;
  readonly receiveReport: ReceiveReport;
  readonly replaceSecrets: ReplaceSecrets;
  readonly findObstacle: FindObstacle;
  readonly testConnection: TestConnection;
  /** A text about no call, such as a stack trace, without the secrets that are known so far. */
  readonly withoutSecrets: (text: string) => string;
  readonly findModel: FindModel;
  readonly listVariations: ListVariations;
  /** Closes every source, and ends every connection and every program. */
  close(): Promise<void>;
}

/**
 * Finds the plugins by their files, and joins the stages of a call. Broken plugins are problems of the catalogue. The code
 * of a plugin is imported when one of its sources is first called.
 */
export async function openSources(parts: SourcesParts): Promise<Sources> {
  const { answerCall, clock, log } = parts;
  const found = await findPlugins(parts, parts.validateManifest);
  const described = await describePlugins(found.plugins, parts.compileSchema, parts.findConfirmed);
  const isDry = answerCall !== undefined;
  const known = isDry ? described.plugins.map(toDry) : described.plugins;
  const plugins = isDry ? known.map(withoutWayOut) : known;
  const getPlugin: GetPlugin = isDry ? standInFor(answerCall) : importConfirmed;
  const lookUp = lookUpSet(parts, plugins);
  const fetches = isDry ? NO_WAY_OUT : openOriginFetches(lookUp);
  const connections = isDry ? NO_CONNECTIONS : (parts.connection_store ?? NO_CONNECTIONS);
  const broker = openBroker(connections, fetches, clock);
  const children = isDry ? NO_WAY_OUT : openChildren(lookUp, timerAlarm);
  const opened = createOpenedSources({
    plugins,
    getPlugin,
    lookUp,
    fetches,
    children,
    broker,
    clock,
    alarm: timerAlarm,
    log,
    own_secrets: [...(parts.own_secrets ?? []), ...(await listAllSecrets(connections))],
    ...present({ own_folders: parts.own_folders }),
  });
  const pipeline: PipelineParts = {
    ...parts,
    plugins,
    lookUp,
    opened,
    broker,
    admission: openAdmission(parts.flight_limits ?? {}, clock),
    // A dry run makes no call, and asks nobody about any.
    authorise: isDry ? [] : (parts.authorise ?? []),
    alarm: timerAlarm,
    redact,
  };
  return {
    catalogue: { plugins: known, problems: [...found.problems, ...described.problems] },
    refused: findShortSecrets(plugins, lookUp),
    callSource: createCallSource(pipeline),
    receiveReport: createReceiveReport(pipeline),
    replaceSecrets: createReplaceSecrets(pipeline),
    // Written answers need no variable.
    findObstacle: async (source) => (isDry ? undefined : findObstacle(source, pipeline)),
    testConnection: broker.test,
    withoutSecrets: (text) => opened.secretsOf({ origin: undefined, secrets: [] }).text(text),
    findModel: (source) => findModel(source, pipeline),
    listVariations: async (name, definition, question) => {
      const plugin = plugins.find((found) => found.name === name);
      const code = plugin && (await getPlugin(plugin));
      return (code?.ok && code.value.listVariations?.(definition, question)) || [];
    },
    close: async () => {
      await opened.close();
      await Promise.all([fetches.close(), children.close()]);
    },
  };
}

const importConfirmed: GetPlugin = async (plugin) =>
  plugin.unconfirmed === undefined ? importEntry(plugin, timerAlarm) : refuse(plugin.unconfirmed);

function findShortSecrets(plugins: readonly DescribedPlugin[], lookUp: LookUpVariable): readonly Problem[] {
  const variables = new Set(plugins.flatMap(({ manifest }) => manifest.secret_variables ?? []));
  return [...variables].flatMap((variable): readonly Problem[] => {
    const value = lookUp(variable) ?? '';
    const found = findInvisible(value);
    if (found !== undefined) return [problem('INVISIBLE_CHARACTER', { variable, found }, { details: { variable } })];
    const said = findShortSecret([{ variable, value }]);
    return said === undefined ? [] : [problem('SECRET_TOO_SHORT', { variable, said }, { details: { variable } })];
  });
}

/** A real key never goes to a model that replaces others. */
function lookUpSet(
  { overlay = {}, lookUp, model_at }: SourcesParts,
  plugins: readonly DescribedPlugin[],
): LookUpVariable {
  const secrets = plugins.flatMap(({ speaks, manifest }) => (speaks === 'chat' && manifest.secret_variables) || []);
  const given = { ...(model_at && Object.fromEntries(secrets.map((name) => [name, model_at.key]))), ...overlay };
  return (name) => (Object.hasOwn(given, name) ? given[name] : lookUp(name)) || undefined;
}
