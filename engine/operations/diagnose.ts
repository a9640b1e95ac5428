import type { Problem } from '../contract/problem.js';
import type { PluginCatalogue } from '../ports/sources.js';
import type { Diagnosis } from './composition.js';
import type { Done, Engine } from './engine.js';

/** What `doctor` looks at. */
export interface Surroundings {
  readonly node_version: string;
  readonly lookUp: (variable: string) => string | undefined;
  readonly catalogue: PluginCatalogue;
  readonly openEngine: () => Promise<Done<Engine>>;
}

/** What is configured, reachable, missing; nothing is changed but the database brought up to date. */
export async function diagnose(surroundings: Surroundings): Promise<readonly Diagnosis[]> {
  return [
    diagnoseNode(surroundings.node_version),
    await diagnoseDatabase(surroundings.openEngine),
    ...surroundings.catalogue.plugins.map(
      (plugin): Diagnosis => ({ subject: `plugin ${plugin.name}`, state: 'good', message: plugin.description }),
    ),
    ...surroundings.catalogue.problems.map((problem) => toDiagnosis('plugins', problem)),
    diagnoseModel(surroundings.lookUp),
  ];
}

function diagnoseNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return { subject: 'node', state: 'good', message: version };
  return {
    subject: 'node',
    state: 'broken',
    message: `${version} is too old`,
    repair: 'Install Node.js 20.19 or newer.',
  };
}

async function diagnoseDatabase(openEngine: Surroundings['openEngine']): Promise<Diagnosis> {
  const opened = await openEngine();
  if (!opened.ok)
    return toDiagnosis(
      'database',
      opened.problems[0] ?? { code: 'DATABASE_UNREACHABLE', message: 'it cannot be opened' },
    );
  const worlds = await opened.value.store.worlds.list();
  const { description } = opened.value.store.database;
  await opened.value.close();
  return {
    subject: 'database',
    state: 'good',
    message: `${description}, ${worlds.length} ${worlds.length === 1 ? 'world' : 'worlds'}`,
  };
}

function diagnoseModel(lookUp: Surroundings['lookUp']): Diagnosis {
  const base = lookUp('CHUKWA_LLM_BASE_URL') ?? lookUp('OPENAI_BASE_URL');
  const hasKey = (lookUp('CHUKWA_LLM_API_KEY') ?? lookUp('OPENAI_API_KEY')) !== undefined;
  if (base !== undefined)
    return { subject: 'model', state: 'good', message: `${originOf(base)}${hasKey ? '' : ', without a key'}` };
  if (hasKey) return { subject: 'model', state: 'good', message: 'the default OpenAI endpoint, with a key' };
  return {
    subject: 'model',
    state: 'missing',
    message: 'no endpoint and no key; the park and --llm scripted need none',
    repair: 'For a real model set CHUKWA_LLM_BASE_URL, and CHUKWA_LLM_API_KEY where it wants a key.',
  };
}

/** Only the origin: a URL may hold credentials. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that is no URL';
}

function toDiagnosis(subject: string, problem: Problem): Diagnosis {
  return {
    subject,
    state: 'broken',
    message: problem.message,
    ...(problem.repair === undefined ? {} : { repair: problem.repair }),
  };
}
