// Made by tools/generate-types.ts from plugins/http_json/interface.schema.json: do not edit, run `npm run generate`.
/** A service that is asked over HTTP and answers with JSON. */
export interface HttpJsonInterface {
  readonly name: 'http_json';
  /** Of GET and DELETE the request is the query, of the others the body. A binding of PUT, PATCH or DELETE is not read_only. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The environment variable in which the operator says where the service is, such as CHUKWA_TOY_WEATHER_URL; its name begins with CHUKWA_. Its URL may have a path; path is added to it. */
  readonly url_env: string;
  /** Starts with a slash. {name} stands for a member of the request: a text, number or boolean within one segment. No query, no escapes, no empty or dot segments: it cannot lead out of the service. */
  readonly path: string;
  /** Constant headers of each request; no secrets. */
  readonly headers?: {
    readonly [k: string]: string;
  };
  /** Headers whose values are secrets: the variable that holds each whole value, such as "Bearer KEY"; its name begins with CHUKWA_. The values are replaced in every record. */
  readonly secret_headers?: {
    readonly [k: string]: string;
  };
  /** How long one answer may take, in milliseconds; 10000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
