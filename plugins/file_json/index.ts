import type { Capabilities, InvocationContext, Json, SourceAnswer, SourcePlugin } from 'chukwa/plugin';
import { readAnswer } from './answer.js';
import type { FileJsonInterface } from './interface.js';
import { findLeftOver } from './request.js';

const plugin: SourcePlugin = {
  open(definition, capabilities) {
    const settings = definition.interface as unknown as FileJsonInterface;
    return { names_its_calls: true, invoke: (request, context) => read(settings, capabilities, request, context) };
  },
};

export default plugin;

async function read(
  settings: FileJsonInterface,
  { files, fillPath, failure, parseJson }: Capabilities,
  request: Json,
  context: InvocationContext,
): Promise<SourceAnswer> {
  if (!files) throw failure('unavailable', `${settings.folder_env} is not set`);
  const { path, rest } = fillPath(settings.path, request, (value) => value);
  const leftOver = findLeftOver(rest);
  if (leftOver !== undefined) throw failure('schema_invalid', `the request cannot be sent: ${leftOver}`);
  const body = await files.read(path, context);
  const answer = readAnswer(body, parseJson);
  if (!answer.ok) throw failure('non_json', `the file is not JSON: ${answer.reason}`, { body });
  return { value: answer.value, facts: { body } };
}
