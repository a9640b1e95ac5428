/**
 * The variables of the environment that the engine reads for itself, and what each holds. `configuration.ts` can read no
 * other, so that the list is whole; a document may name none of them.
 */
export const ENGINE_VARIABLES = {
  APPDATA: 'setting',
  CHUKWA_ANCHOR: 'setting',
  CHUKWA_AUTHORISE: 'url',
  CHUKWA_BUDGET_TOKENS: 'setting',
  CHUKWA_BUDGET_USD: 'setting',
  CHUKWA_CONNECTIONS_KEY: 'secret',
  CHUKWA_CONSUMERS_READ_ONLY: 'setting',
  CHUKWA_DATABASE_URL: 'url',
  CHUKWA_DATA_DIR: 'setting',
  CHUKWA_DOORBELL: 'setting',
  CHUKWA_ENDPOINT_MAX_IN_FLIGHT: 'setting',
  CHUKWA_HOST: 'setting',
  CHUKWA_LOG: 'setting',
  CHUKWA_LOG_FORMAT: 'setting',
  CHUKWA_MAX_IN_FLIGHT: 'setting',
  CHUKWA_NATS_URL: 'url',
  CHUKWA_OPERATOR_TOKEN: 'secret',
  CHUKWA_PLUGIN_PATH: 'setting',
  CHUKWA_PORT: 'setting',
  CHUKWA_PRICES: 'setting',
  CHUKWA_PUBLIC_URL: 'url',
  CHUKWA_SIGNING_KEY: 'setting',
  CHUKWA_OAUTH_ISSUER: 'setting',
  CHUKWA_TOKEN: 'secret',
  HOME: 'setting',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'url',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'url',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'headers',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'url',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'headers',
  XDG_CONFIG_HOME: 'setting',
} as const satisfies Readonly<Record<string, 'setting' | 'secret' | 'url' | 'headers'>>;

export type EngineVariable = keyof typeof ENGINE_VARIABLES;

/** The beginning of a variable that holds a connection. */
const CONNECTION_PREFIX = 'CHUKWA_CONNECTION_';

/** The variable that holds a connection: `CHUKWA_CONNECTION_POST_OFFICE` of `post_office` and `post-office`. */
export function connectionVariable(id: string): string {
  return `${CONNECTION_PREFIX}${id.toUpperCase().replaceAll('-', '_')}`;
}

/** The id of the connection that a variable holds; undefined where it holds none. */
export function connectionIn(variable: string): string | undefined {
  return variable.startsWith(CONNECTION_PREFIX) ? variable.slice(CONNECTION_PREFIX.length).toLowerCase() : undefined;
}

/** Whether a variable is the engine's own, so that no document may name it. */
export function isEngineVariable(name: string): boolean {
  return Object.hasOwn(ENGINE_VARIABLES, name) || connectionIn(name) !== undefined;
}
