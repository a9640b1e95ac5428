/** A JSON value. Nothing else crosses a boundary of the engine. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object, read-only. */
export interface JsonObject {
  readonly [member: string]: Json;
}
