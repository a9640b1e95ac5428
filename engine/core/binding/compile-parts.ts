import { problem } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import type { PluginManifest } from '../../generated/plugin-manifest.js';
import type { ComponentKind, ComponentReference } from '../protocol/component.js';
import type { DocumentProblem } from '../protocol/document-problem.js';
import type { PolicyProgram, SchemaCompiler } from '../protocol/program.js';
import type { SettingFields } from './source-settings.js';

export interface CompileParts {
  /** A stored or about-to-be-stored document that its schema accepts. */
  readonly find: (kind: ComponentKind, hash: string) => JsonObject | undefined;
  readonly compileSchema: SchemaCompiler;
  /** The manifest of a source's plugin; undefined where there is no such plugin. */
  readonly findManifest: (
    plugin: string,
  ) =>
    | (SettingFields & Pick<PluginManifest, 'acting' | 'origin' | 'path_field' | 'secret_variable_fields'>)
    | undefined;
  /** The prefixes that plugins reserve for names of tools, by the plugin's name. */
  readonly tool_prefixes: ReadonlyMap<string, string>;
  /** The shipped contracts of what models say. */
  readonly contracts: Readonly<Record<'tool_loop_output' | 'world_patch' | 'gate_verdict', JsonObject>>;
}

/** The identity of the workflow that is compiled, those for whom it runs, and the policy under which it does. */
export interface WorkflowSetting {
  readonly document: ComponentReference;
  readonly subjects: readonly string[];
  readonly policy?: CompiledPolicy;
  /** The connections that its profile grants; absent where it grants all. */
  readonly connections?: readonly string[];
  /** A policy is named and cannot be found: its permissions are not known. */
  readonly policy_missing?: boolean;
}

/** A value, and all that is wrong with it. The value is usable only where nothing is. */
export interface Part<Value> {
  readonly value?: Value;
  readonly problems: readonly DocumentProblem[];
}

/** A policy with the budgets that it sets. */
export interface CompiledPolicy extends PolicyProgram {
  /** The names of its short form. */
  readonly allow: readonly string[];
  /** Those that the workflow does not have: meant for another one, or misspelt. */
  readonly names_nothing: readonly string[];
  readonly max_runtime_ms: number;
  readonly max_result_bytes: number;
}

/** The hash that a linked reference holds. */
export function hashOf(reference: { readonly hash: string } | { readonly path: string }): string {
  if ('hash' in reference) return reference.hash;
  throw new Error(`the reference to ${reference.path} has not been linked`);
}

/** A reference that leads nowhere. */
export function missing(
  document: ComponentReference,
  pointer: string,
  kind: ComponentKind,
  hash: string,
): DocumentProblem {
  return { ...problem('COMPONENT_MISSING', { kind, hash }), pointer, document };
}
