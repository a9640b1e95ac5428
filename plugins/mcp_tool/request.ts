import type { Json, JsonObject } from 'chukwa/plugin';

/** The arguments, or undefined where the request is no object. */
export function toArguments(request: Json): JsonObject | undefined {
  return typeof request === 'object' && request !== null && !isList(request) ? request : undefined;
}

/** The parameters of `tools/call`. `client_request_id` lets a server recognise a repeated call. */
export function toCallParams(
  tool_name: string,
  given: JsonObject,
  client_request_id: string,
): { readonly name: string; readonly arguments: JsonObject; readonly _meta: JsonObject } {
  return { name: tool_name, arguments: given, _meta: { 'chukwa.dev/client-request-id': client_request_id } };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
