import { problem } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import type { CompileParts } from '../binding/compile-parts.js';
import type { PolicedCall, Rule, Rules } from '../policy/policy.js';
import type { ComponentReference } from '../protocol/component.js';
import { type DocumentProblem, inDocument } from '../protocol/document-problem.js';
import { type DataBinding, findSource, listDataBindings } from './policed-bindings.js';

/** Notes rules that decide about no call. @param calls all that the policy is for, in every workflow that it is for */
export function noteIdleRules(hash: string, rules: Rules, calls: readonly PolicedCall[]): readonly DocumentProblem[] {
  const deciding = new Set<Rule>();
  const overruled = new Map<Rule, Rule>();
  for (const call of calls) {
    let final: Rule | undefined;
    for (const rule of rules.selecting(call)) {
      if (final === undefined) deciding.add(rule);
      else overruled.set(rule, final);
      if (!rule.is_conditional && rule.of_allowed !== true) final ??= rule;
    }
  }
  const notes = rules.all
    .filter((rule) => !deciding.has(rule))
    .flatMap((rule) => {
      const place = { pointer: rule.pointer };
      const by = overruled.get(rule)?.pointer;
      if (by !== undefined) return [problem('RULE_NEVER_DECIDES', { kind: 'overruled', by }, place)];
      // Names of the short form that name nothing have notes of their own.
      return rule.pointer.startsWith('/rules/') ? [problem('RULE_NEVER_DECIDES', { kind: 'idle' }, place)] : [];
    });
  return inDocument({ kind: 'tool_policy', hash }, notes);
}

/**
 * Notes a tool by which a model may send what only a credential opens to somebody whom an untrusted text names, while no
 * person is asked: the model is shown both, and no rule binds the tool's arguments.
 */
export function noteLeaks(
  parts: Pick<CompileParts, 'find' | 'findManifest'>,
  document: ComponentReference,
  workflow: CognitionWorkflow,
  { rules, subjects }: { readonly rules: Rules; readonly subjects: readonly string[] },
): readonly DocumentProblem[] {
  const bindings = listDataBindings(workflow);
  const secret = bindings.find((binding) => isOpenedBySecret(parts, binding));
  if (secret === undefined) return [];
  const notes = bindings.flatMap((binding) => {
    const { id: tool, effect, offered, source_ref } = binding;
    if (offered === undefined || effect !== 'external_side_effect') return [];
    const source = findSource(parts, source_ref)?.label ?? '';
    if (!subjects.some((subject) => isFree(rules, { tool, effect, source, subject }))) return [];
    // Its own answer comes too late to choose its arguments, unless it is called again.
    const untrusted = bindings.find(({ id }) => id !== tool) ?? binding;
    const facts = { tool, secret: secret.id, untrusted: untrusted.id };
    return [problem('LEAK_WITHOUT_PERSON', facts, { pointer: `${offered.pointer}/name` })];
  });
  return inDocument(document, notes);
}

function isOpenedBySecret(
  parts: Pick<CompileParts, 'find' | 'findManifest'>,
  { connection, source_ref }: DataBinding,
): boolean {
  if (connection !== undefined) return true;
  const definition = findSource(parts, source_ref)?.interface;
  const { secret_variable_fields = [] } = parts.findManifest(definition?.name ?? '') ?? {};
  return secret_variable_fields.some((field) => (definition as JsonObject | undefined)?.[field] !== undefined);
}

/** Whether a call is allowed whatever its arguments are, and wherever they come from. */
function isFree(rules: Rules, call: PolicedCall): boolean {
  const selected = rules.selecting(call);
  return (
    selected.some(({ decide, binds }) => decide === 'allow' && !binds) &&
    !selected.some(({ decide, binds }) => decide !== 'allow' && binds)
  );
}
