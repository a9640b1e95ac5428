import { type Problem, problem } from '../../contract/problem.js';
import type { JsonObject } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import type { ResponseSource, Retry } from '../../generated/response-source.js';
import type { EffectClass, NotPerformedOn, Redaction, Reference } from '../../generated/workflow.js';
import { listDeclassified, valuesOf } from '../policy/answer-origins.js';
import { type CompileParts, type Part, type WorkflowSetting, hashOf, missing } from './compile-parts.js';
import { foreseeBinding, isDenied } from './foresee-binding.js';
import { notAllowed } from './not-allowed.js';
import type { ComponentReference } from '../protocol/component.js';
import { among } from '../content/nearest-name.js';
import { complainIf, type DocumentProblem, inDocument } from '../protocol/document-problem.js';
import type { CallLimits, CallProgram, RetryProgram, SchemaProgram, SourceProgram } from '../protocol/program.js';
import { readOutputLimit, readTimeout, readWrittenModel, type SettingFields } from './source-settings.js';

/** The members of a call's binding that all kinds of bindings share. */
interface AuthoredCall {
  readonly source_ref: Reference;
  readonly effect: EffectClass;
  readonly repeatable?: boolean;
  readonly not_performed_on?: NotPerformedOn;
  readonly redaction: Redaction;
  readonly connection?: string;
  readonly pending_deadline_ms?: number;
  readonly on_failure?: 'fail' | 'tell_model' | 'inject_absence';
  readonly arguments_schema_ref?: Reference;
  readonly result_schema_ref?: Reference;
}

/** The place of a binding in its document, and its demands on its source. */
interface CallPlace {
  readonly pointer: string;
  readonly policy_id: string;
  readonly speaks: 'json' | 'chat';
  /** Tools need leave whatever their effect; other bindings only where they do more than read. */
  readonly always_policed?: boolean;
  readonly once_per_turn?: boolean;
}

const ARGUMENTS_BYTES_MAX = 8 * 1024;
const RESULT_BYTES_MAX = 32 * 1024;
const JSON_RUNTIME_MS = 10_000;
const CHAT_RUNTIME_MS = 120_000;
/** More than any model says, and little enough to be held several times over. */
const CHAT_BYTES_MAX = 2 * 1024 * 1024;

/** Everything that binds one call: source, schemas, effect, redaction, policy, limits. */
export function compileCall(
  parts: CompileParts,
  setting: WorkflowSetting,
  authored: AuthoredCall,
  place: CallPlace,
): Part<CallProgram> {
  const { document } = setting;
  const source = findSource(parts, document, authored.source_ref, place);
  const manifest = parts.findManifest(source.value?.interface.name ?? '');
  const request = compileReference(
    parts,
    { kind: 'response_source', hash: hashOf(authored.source_ref) },
    source.value?.request_schema_ref,
    '/request_schema_ref',
  );
  const compileOwn = (member: 'arguments_schema_ref' | 'result_schema_ref'): Part<SchemaProgram> =>
    compileReference(parts, document, authored[member], `${place.pointer}/${member}`);
  const args = compileOwn('arguments_schema_ref');
  const output = compileOwn('result_schema_ref');
  const policed = place.always_policed === true || authored.effect !== 'read_only';
  const problems = [
    ...source.problems,
    ...request.problems,
    ...args.problems,
    ...output.problems,
    ...checkRetry(authored.source_ref, source.value?.retry),
    ...inDocument(document, checkActing(manifest, source.value, authored, place)),
    ...inDocument(document, checkConnection(manifest, setting, authored, place)),
    ...checkCall(parts, setting, authored, place),
  ];
  if (source.value === undefined || manifest === undefined) return { problems };
  const { effect, pending_deadline_ms, on_failure = 'fail', not_performed_on } = authored;
  return {
    value: present({
      source: toSource(manifest, source.value, authored, request.value),
      effect,
      repeatable: authored.repeatable === true,
      not_performed_on: not_performed_on && new Set(not_performed_on),
      redaction: authored.redaction.allow,
      input: args.value ?? request.value,
      output: output.value,
      policy_id: policed ? place.policy_id : undefined,
      policy: setting.policy,
      granted_connections: setting.connections,
      limits: toLimits(manifest, source.value, setting),
      pending_deadline_ms,
      retry: toRetry(source.value.retry),
      on_failure: on_failure === 'fail' ? undefined : on_failure,
    }),
    problems,
  };
}

function toSource(
  manifest: SettingFields,
  { label, interface: definition, max_in_flight }: ResponseSource,
  { source_ref, connection }: AuthoredCall,
  request: SchemaProgram | undefined,
): SourceProgram {
  return present({
    hash: hashOf(source_ref),
    label,
    plugin: definition.name,
    interface: definition,
    model: readWrittenModel(manifest, definition),
    output_limit: readOutputLimit(definition),
    max_in_flight,
    request,
    connection,
  });
}

/** A schema that a reference names, with its validator. In place of one that is missing or broken, one that all fits. */
export function compileReference(
  parts: CompileParts,
  document: ComponentReference,
  reference: Reference | undefined,
  pointer: string,
): Part<SchemaProgram> {
  if (reference === undefined) return { problems: [] };
  const hash = hashOf(reference);
  const schema = parts.find('json_schema', hash);
  const value: SchemaProgram = { hash, schema: { type: 'object' }, validate: () => [] };
  if (schema === undefined) return { value, problems: [missing(document, pointer, 'json_schema', hash)] };
  const compiled = parts.compileSchema(hash, schema);
  if (compiled.ok) {
    const declassified = inDocument({ kind: 'json_schema', hash }, checkDeclassified(schema, pointer));
    return { value: { hash, schema, validate: compiled.value }, problems: declassified };
  }
  return {
    value,
    problems: compiled.problems.map((problem) => ({
      ...problem,
      pointer: problem.pointer ?? '',
      document: { kind: 'json_schema', hash },
    })),
  };
}

/** @param reference where the schema is named: by that it describes a result, or something else */
function checkDeclassified(schema: JsonObject, reference: string): readonly Problem[] {
  const isResult = reference.endsWith('/result_schema_ref');
  return listDeclassified(schema).map(({ pointer, schema: member }) => {
    const place = { pointer: `${pointer}/declassify` };
    if (!isResult) return problem('DECLASSIFY_NOT_CLOSED', { because: 'no_result' }, place);
    const values = valuesOf(member);
    return values === undefined
      ? problem('DECLASSIFY_NOT_CLOSED', { because: 'open' }, place)
      : problem('DECLASSIFIED', { values }, place);
  });
}

function findSource(
  parts: CompileParts,
  document: ComponentReference,
  reference: Reference,
  place: CallPlace,
): Part<ResponseSource> {
  const hash = hashOf(reference);
  const pointer = `${place.pointer}/${place.speaks === 'chat' ? 'llm_source_ref' : 'source_ref'}`;
  const source = parts.find('response_source', hash) as unknown as ResponseSource | undefined;
  if (source === undefined) return { problems: [missing(document, pointer, 'response_source', hash)] };
  const speaks = parts.findManifest(source.interface.name)?.speaks;
  if (speaks === place.speaks) return { value: source, problems: [] };
  const { label, interface: definition } = source;
  if (speaks === undefined) {
    const facts = { kind: 'needed', source: label, name: definition.name } as const;
    const unknown = problem('PLUGIN_UNKNOWN', facts, { pointer: '/interface/name' });
    return { problems: inDocument({ kind: 'response_source', hash }, [unknown]) };
  }
  const facts = { source: label, speaks, needed: place.speaks };
  return { problems: inDocument(document, [problem('SOURCE_SPEAKS_OTHERWISE', facts, { pointer })]) };
}

function checkCall(
  parts: CompileParts,
  setting: WorkflowSetting,
  authored: AuthoredCall,
  place: CallPlace,
): readonly DocumentProblem[] {
  const { pointer, policy_id: name, always_policed = false } = place;
  const { effect } = authored;
  const needsLeave = !always_policed && effect !== 'read_only';
  const isPoliced = setting.policy_missing !== true && (needsLeave || always_policed);
  const foreseen = isPoliced ? foreseeBinding(parts, setting, { ...authored, ...place }) : [];
  const denied = needsLeave ? foreseen.find(isDenied) : undefined;
  const needless = (['repeatable', 'not_performed_on'] as const).flatMap((field) =>
    complainIf(
      Boolean(authored[field]) && effect === 'read_only',
      problem('REPEATABLE_NEEDS_EFFECT', { name, field }, { pointer: `${pointer}/${field}` }),
    ),
  );
  const complaints = inDocument(setting.document, needless);
  if (denied === undefined) return complaints;
  const { rule } = denied.ruling;
  return [
    notAllowed(setting, 'POLICY_DENIES', { name, effect, rule }, { pointer: `${pointer}/effect` }),
    ...complaints,
  ];
}

/** The engine repeats a read_only call without a question: a source that changes something may not be bound as one. */
function checkActing(
  manifest: ReturnType<CompileParts['findManifest']>,
  source: ResponseSource | undefined,
  { effect }: AuthoredCall,
  { pointer, policy_id }: CallPlace,
): readonly Problem[] {
  const { interface_field = '', values = [] } = manifest?.acting ?? {};
  const value = (source?.interface as JsonObject | undefined)?.[interface_field];
  if (effect !== 'read_only' || typeof value !== 'string' || !values.includes(value)) return [];
  return [problem('EFFECT_READS_ONLY', { name: policy_id, value }, { pointer: `${pointer}/effect` })];
}

/** A connection is for a service behind a URL, and for a profile that grants it. */
function checkConnection(
  manifest: ReturnType<CompileParts['findManifest']>,
  { connections }: WorkflowSetting,
  { connection }: AuthoredCall,
  { pointer }: CallPlace,
): readonly Problem[] {
  if (connection === undefined) return [];
  const place = { pointer: `${pointer}/connection` };
  const isGranted = connections?.includes(connection) !== false;
  return [
    ...complainIf(
      manifest !== undefined && manifest.origin === undefined,
      problem('CONNECTION_UNUSABLE', { kind: 'no_origin', connection }, place),
    ),
    ...complainIf(
      !isGranted,
      problem(
        'CONNECTION_UNUSABLE',
        { kind: 'not_granted', connection, ...among(connection, connections ?? []) },
        place,
      ),
    ),
  ];
}

const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;

function toRetry(authored: Retry | undefined): RetryProgram | undefined {
  if (authored === undefined) return undefined;
  const on = new Set(authored.on);
  const backoff_ms = authored.backoff_ms ?? Math.min(BACKOFF_MS, authored.backoff_max_ms ?? BACKOFF_MS);
  const backoff_max_ms = authored.backoff_max_ms ?? Math.max(BACKOFF_MAX_MS, backoff_ms);
  return { max: authored.max, on, backoff_ms, backoff_max_ms };
}

function checkRetry(source: Reference, authored: Retry | undefined): readonly DocumentProblem[] {
  const { backoff_ms, backoff_max_ms } = authored ?? {};
  if (backoff_ms === undefined || backoff_max_ms === undefined || backoff_ms <= backoff_max_ms) return [];
  const tooLong = problem('RETRY_BACKOFF_TOO_LONG', { backoff_ms, backoff_max_ms }, { pointer: '/retry/backoff_ms' });
  return inDocument({ kind: 'response_source', hash: hashOf(source) }, [tooLong]);
}

function toLimits(manifest: SettingFields, source: ResponseSource, setting: WorkflowSetting): CallLimits {
  const isChat = manifest.speaks === 'chat';
  const runtime = readTimeout(manifest, source.interface) ?? (isChat ? CHAT_RUNTIME_MS : JSON_RUNTIME_MS);
  if (isChat) return { max_runtime_ms: runtime, max_request_bytes: CHAT_BYTES_MAX, max_result_bytes: CHAT_BYTES_MAX };
  return {
    max_runtime_ms: Math.min(runtime, setting.policy?.max_runtime_ms ?? runtime),
    max_request_bytes: ARGUMENTS_BYTES_MAX,
    max_result_bytes: setting.policy?.max_result_bytes ?? RESULT_BYTES_MAX,
  };
}
