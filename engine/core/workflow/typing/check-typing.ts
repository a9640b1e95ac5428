import type { AmbientSourceBinding, AvailableTool } from '../../../generated/workflow.js';
import type { Complaint } from '../../protocol/document-problem.js';
import type { AuthoredNode } from '../node-edges.js';
import { checkReach } from './check-reach.js';
import { checkPromptReads, checkTemplateReads } from './check-reads.js';
import { checkRedaction } from './check-redaction.js';
import { checkArguments, checkRequest } from './check-requests.js';
import { checkUnseen } from './check-unseen.js';
import { type Readers, readersOf, type Setting } from './readers.js';
import { unveil } from './shape.js';
import { resultShape, type SchemaParts } from './typed-schemas.js';

/**
 * Types a workflow's graph: every path that a template, a prompt or an allow-list names is walked through the schema of
 * what produces it, and every request through the schema of what takes it. Nothing is called.
 */
export function checkTyping(parts: SchemaParts, setting: Setting): readonly Complaint[] {
  const { workflow } = setting;
  const readers = readersOf(parts, setting);
  return [
    ...workflow.ambient_sources.flatMap((binding, index) =>
      checkAmbient(parts, binding, `/ambient_sources/${index}`, readers),
    ),
    ...workflow.nodes.flatMap((node, index) => checkNode(parts, node, `/nodes/${index}`, readers)),
    ...checkReach(workflow),
    ...checkUnseen(setting),
  ];
}

function checkAmbient(
  parts: SchemaParts,
  binding: AmbientSourceBinding,
  pointer: string,
  readers: Readers,
): readonly Complaint[] {
  return [
    ...checkTemplateReads(binding.request_template, `${pointer}/request_template`, readers[binding.run]),
    ...checkRequest(parts, binding, pointer, readers[binding.run]),
    ...checkRedaction(binding.redaction.allow, unveil(resultShape(parts, binding)), pointer),
  ];
}

function checkNode(parts: SchemaParts, node: AuthoredNode, pointer: string, readers: Readers): readonly Complaint[] {
  switch (node.type) {
    case 'source_call':
      return [
        ...checkTemplateReads(node.request_template, `${pointer}/request_template`, readers.nodes),
        ...checkRequest(parts, node, pointer, readers.nodes),
        ...checkRedaction(node.redaction.allow, unveil(resultShape(parts, node)), pointer),
      ];
    case 'llm_tool_loop':
      return [
        ...checkPromptReads(node, pointer, readers.nodes),
        ...node.available_tools.flatMap((tool, index) => {
          const place = `${pointer}/available_tools/${index}`;
          return [...checkArguments(parts, tool, place), ...checkToolRedaction(parts, tool, place)];
        }),
      ];
    case 'llm_json':
      return checkPromptReads(node, pointer, readers.nodes);
  }
}

/** What a service says of a failure has no schema: a model that is told of it may be shown parts that no result has. */
function checkToolRedaction(parts: SchemaParts, tool: AvailableTool, pointer: string): readonly Complaint[] {
  const complaints = checkRedaction(tool.redaction.allow, unveil(resultShape(parts, tool)), pointer);
  if (tool.on_failure !== 'tell_model') return complaints;
  return complaints.map((complaint) => ({ ...complaint, severity: 'note' }));
}
