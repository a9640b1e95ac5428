import type { Capabilities, InvocationContext, Json, SourceAnswer, SourcePlugin } from 'chukwa/plugin';
import { readRow } from './answer.js';
import type { CsvInterface } from './interface.js';
import { findWanted } from './request.js';

const plugin: SourcePlugin = {
  open(definition, capabilities) {
    const settings = definition.interface as unknown as CsvInterface;
    return { names_its_calls: true, invoke: (request, context) => read(settings, capabilities, request, context) };
  },
};

export default plugin;

async function read(
  settings: CsvInterface,
  { files, fillPath, failure }: Capabilities,
  request: Json,
  context: InvocationContext,
): Promise<SourceAnswer> {
  if (!files) throw failure('unavailable', `${settings.folder_env} is not set`);
  const { path, rest } = fillPath(settings.path, request, (value) => value);
  const wanted = findWanted(rest, settings.key);
  if (!wanted.ok) throw failure('schema_invalid', `the request cannot be sent: ${wanted.reason}`);
  const body = await files.read(path, context);
  const found = readRow(body, settings.key, wanted.value);
  if (!found.ok) throw failure(found.failure_class, found.message, { body });
  return { value: found.value, facts: { body } };
}
