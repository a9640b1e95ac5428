import type { AmbientSourceBinding } from '../../../generated/workflow.js';
import { pointerTokens } from '../../content/json-pointer.js';
import { parsePromptText } from '../../prompt/template.js';
import { textOf } from '../compile-parts.js';
import type { Complaint } from '../../protocol/document-problem.js';
import type { AuthoredNode } from '../node-edges.js';
import { listReads } from '../../protocol/request-template.js';
import { isVisibleTo, toVisibility } from '../../protocol/visibility.js';
import type { Setting } from './readers.js';

/** Notes what runs and comes to nothing, though it could be meant: readings, tools, and braces of another language. */
export function checkUnseen(setting: Setting): readonly Complaint[] {
  return [
    ...setting.workflow.ambient_sources.flatMap((binding, index) => checkReading(setting, binding, index)),
    ...setting.workflow.nodes.flatMap((node, index) => [
      ...checkTools(node, `/nodes/${index}`),
      ...textsOf(node).flatMap((text, message) =>
        checkBraces(text, `/nodes/${index}/prompt_template/messages/${message}/content`),
      ),
    ]),
  ];
}

function checkReading(setting: Setting, binding: AmbientSourceBinding, index: number): readonly Complaint[] {
  // A place that is not there is said elsewhere.
  if (!isPlace(setting, binding.visible_to)) return [];
  const subjects = setting.scenario.entities.filter(({ id }) => setting.subjects.includes(id));
  const isGiven = subjects.some((subject) => isVisibleTo(toVisibility(binding.visible_to), subject));
  if (isGiven && isRead(setting, binding)) return [];
  return [
    {
      code: 'READING_UNSEEN',
      message: isGiven
        ? `${binding.id} is read each turn, and no prompt and no request of this workflow shows it.`
        : `${binding.id} is visible to none of those who think by this workflow.`,
      pointer: `/ambient_sources/${index}${isGiven ? '' : '/visible_to'}`,
      repair: isGiven
        ? 'Write {{ambient.visible}} into a prompt, or take it out.'
        : 'Correct "visible_to", or take it out.',
      severity: 'note',
    },
  ];
}

function isPlace({ scenario }: Setting, place: AmbientSourceBinding['visible_to']): boolean {
  if (typeof place === 'string') return true;
  if ('entity_id' in place) return scenario.entities.some(({ id }) => id === place.entity_id);
  return scenario.environments.some(({ label }) => label === place.environment_label);
}

/** Whether a prompt shows all readings, or a request reads this one, a part of it, or what holds it. */
function isRead({ workflow }: Setting, { id, inject_as }: AmbientSourceBinding): boolean {
  const shown = workflow.nodes.some((node) =>
    textsOf(node).some((text) =>
      parsePromptText(text).parts.some(
        (part) => part.kind === 'placeholder' && part.placeholder.reads === 'ambient.visible',
      ),
    ),
  );
  const laid = pointerTokens(inject_as);
  const templates = [
    ...workflow.nodes.flatMap((node) => (node.type === 'source_call' ? [node.request_template] : [])),
    ...workflow.ambient_sources.filter((other) => other.id !== id).map((other) => other.request_template),
  ];
  const reads = templates.flatMap((template) => listReads(template).map(({ from }) => pointerTokens(from)));
  return shown || reads.some((tokens) => tokens.every((token, at) => at >= laid.length || token === laid[at]));
}

function checkTools(node: AuthoredNode, pointer: string): readonly Complaint[] {
  if (node.type !== 'llm_tool_loop' || node.max_tool_calls > 0 || node.available_tools.length === 0) return [];
  return [
    {
      code: 'TOOLS_NEVER_OFFERED',
      message: `${node.id} has tools, and "max_tool_calls" is 0: no model is ever offered one.`,
      pointer: `${pointer}/max_tool_calls`,
      repair: 'Write how many calls are allowed, or take the tools out.',
      severity: 'note',
    },
  ];
}

/** Where another language would fill in a name. */
const DOLLAR_BRACES = /\$\{\s*([A-Za-z_][\w.]*)\s*\}/g;

function checkBraces(text: string, pointer: string): readonly Complaint[] {
  return [...text.matchAll(DOLLAR_BRACES)].map(({ 0: written, 1: name, index }) => ({
    code: 'PROMPT_DOLLAR_BRACES',
    message: `${written} is told to the model as it stands: a placeholder has double braces.`,
    pointer,
    offset: index,
    repair: `Write {{${name}}}, unless these very characters are meant.`,
    severity: 'note',
  }));
}

function textsOf(node: AuthoredNode): readonly string[] {
  return node.type === 'source_call' ? [] : node.prompt_template.messages.map(({ content }) => textOf(content));
}
