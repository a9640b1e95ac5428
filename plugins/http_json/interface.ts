// Made by tools/generate-types.ts from plugins/http_json/interface.schema.json: do not edit, run `npm run generate`.
/** A service that takes requests over HTTP and answers with JSON. */
export interface HttpJsonInterface {
  readonly name: 'http_json';
  /** With GET and DELETE the request is sent as the query, with the others as the body. The binding of a source with PUT, PATCH or DELETE cannot be read_only. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The environment variable that holds the service's URL, such as CHUKWA_TOY_WEATHER_URL. Its name begins with CHUKWA_. The URL may have a path; this source's path is added to it. */
  readonly url_env: string;
  /** The path below the service's URL. It starts with a slash. {name} stands for a member of the request: a text, number or boolean within one segment. It has no query, no escapes, and no empty or dot segments, so it cannot lead out of the service. */
  readonly path: string;
  /** Constant headers of each request. They hold no secrets. */
  readonly headers?: {
    readonly [k: string]: string;
  };
  /** Headers whose values are secrets. Each names the environment variable that holds its whole value, such as "Bearer KEY". The variable's name begins with CHUKWA_. The values are replaced in every record. */
  readonly secret_headers?: {
    readonly [k: string]: string;
  };
  /** How an answer is read that is JSON and cannot be kept as it is written. strict refuses it. lenient takes it: lone surrogates and U+0000 become U+FFFD, whole numbers that no double holds become texts, which fit a schema of numbers, the last of equal names counts, no body is null, and a body of text/plain that is no JSON is a text. A call with a side effect that may not be repeated is always read leniently. */
  readonly json?: 'strict' | 'lenient';
  /** How long one call may take, in milliseconds. It is 10000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
