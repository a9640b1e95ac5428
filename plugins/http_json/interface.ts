// Made by tools/generate-types.ts from plugins/http_json/interface.schema.json: do not edit, run `npm run generate`.
/** A service that takes a JSON body and answers with one. */
export interface HttpJsonInterface {
  readonly name: 'http_json';
  /** The request is the body. */
  readonly method: 'POST';
  /** The environment variable in which the operator says where the service is, such as CHUKWA_TOY_WEATHER_URL; its name begins with CHUKWA_. Its URL may have a path; path is added to it. */
  readonly url_env: string;
  /** Starts with a slash. No query, no escapes, no empty or dot segments: it cannot lead out of the service. */
  readonly path: string;
  /** How long one answer may take, in milliseconds; 10000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
