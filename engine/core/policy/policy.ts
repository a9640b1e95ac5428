import type { Json } from '../../contract/json.js';
import type { Rule as AuthoredRule, ToolPolicy } from '../../generated/tool-policy.js';
import type { EffectClass } from '../../generated/workflow.js';
import {
  type ArgumentCondition,
  compileCondition,
  isMet,
  placesOfPolicy,
  type ReadArguments,
  readerOf,
} from './condition.js';
import { indexByOrigins, type OriginCondition, toOriginCondition } from './origin-condition.js';
import type { Provenance } from './provenance.js';

export type Decision = AuthoredRule['decide'];

/** A call before its arguments are known, as rules select it. */
export interface PolicedCall {
  /** The id of the tool, or of another binding that does more than read. */
  readonly tool: string;
  readonly effect: EffectClass;
  /** The label of its source. */
  readonly source: string;
  /** The entity for whom it is made; absent where it is made for all of them. */
  readonly subject?: string;
}

/** A call that is about to be made. */
export interface AskedCall extends PolicedCall {
  readonly arguments: Json;
  readonly provenance: Provenance;
}

/** The decision about a call, and the rule that made it. */
export interface Ruling {
  readonly decision: Decision;
  /** The pointer of the rule in its policy; null where none matches, which denies. */
  readonly rule: string | null;
  readonly because: string;
}

/** One rule of a policy, or one entry of its short form. */
export interface Rule {
  readonly pointer: string;
  readonly decide: Decision;
  readonly because: string;
  /** Absent where it is for every tool. */
  readonly tools?: ReadonlySet<string>;
  /** It permits nothing by itself: an approval of the short form is asked for allowed calls alone. */
  readonly of_allowed?: true;
  /** On arguments: all of them must be met. */
  readonly conditions: readonly ArgumentCondition[];
  /** On the origins of the arguments; absent where it matches any. */
  readonly origins?: OriginCondition;
  /** It depends on arguments or their origins. */
  readonly is_conditional: boolean;
  /** It keeps a model from choosing every argument freely: by its values, by their origins, or by a person or a denial. */
  readonly binds: boolean;
  readonly selects: (call: PolicedCall) => boolean;
}

/** A policy, compiled once for a scenario. */
export interface Rules {
  /** In the order of the document. */
  readonly all: readonly Rule[];
  /** The rules that select a call: the strongest decision first, then in the order of the document. */
  selecting(call: PolicedCall): readonly Rule[];
  /** Those of them that its origins may meet. */
  narrowed(call: PolicedCall, origins: ReadArguments['origins']): readonly Rule[];
}

const STRENGTH: readonly Decision[] = ['deny', 'require_approval', 'allow'];

/** Compiles a policy; its short form becomes rules like the others. */
export function compileRules(policy: Pick<ToolPolicy, 'allow' | 'require_approval' | 'rules'>): Rules {
  const placeOf = placesOfPolicy();
  const all = [
    ...policy.allow.map((name, index) => toAllowed(name, `/allow/${index}`)),
    ...policy.require_approval.map((name, index) => toApproval(name, `/require_approval/${index}`)),
    ...(policy.rules ?? []).map((rule, index) => toRule(rule, `/rules/${index}`, placeOf)),
  ];
  const ranked = STRENGTH.flatMap((decision) => all.filter(({ decide }) => decide === decision));
  const general = ranked.filter(({ tools }) => tools === undefined);
  const byTool = new Map(
    [...new Set(ranked.flatMap(({ tools = [] }) => [...tools]))].map((tool) => [
      tool,
      ranked.filter(({ tools }) => tools?.has(tool) ?? true),
    ]),
  );
  // A scenario makes few kinds of calls, and each of them again and again.
  const selected = new Map<string, ReturnType<typeof select>>();
  const select = (call: PolicedCall) => {
    const rules = (byTool.get(call.tool) ?? general).filter((rule) => rule.selects(call));
    return { rules, narrow: indexByOrigins(rules) };
  };
  const selecting = (call: PolicedCall): ReturnType<typeof select> => {
    const kind = `${call.tool}\n${call.effect}\n${call.source}\n${call.subject ?? ''}`;
    const known = selected.get(kind) ?? select(call);
    selected.set(kind, known);
    return known;
  };
  return {
    all,
    selecting: (call) => selecting(call).rules,
    narrowed: (call, origins) => selecting(call).narrow(origins),
  };
}

/** Decides about a call. Every rule that matches counts: deny over approval over allow; none of them denies. */
export function decide(rules: Rules, call: AskedCall): Ruling {
  const read = readerOf(call.arguments, call.provenance);
  return rulingOf(rules.narrowed(call, read.origins), (rule) => meets(rule, read));
}

/** The rules that match a call, the strongest decision first. */
export function listMatching(rules: Rules, call: AskedCall): readonly Rule[] {
  const read = readerOf(call.arguments, call.provenance);
  return rules.narrowed(call, read.origins).filter((rule) => meets(rule, read));
}

function meets({ conditions, origins }: Rule, read: ReadArguments): boolean {
  for (const condition of conditions) if (!isMet(condition, read)) return false;
  return origins === undefined || origins.isMet(read.origins());
}

/** What may still be decided about a call once its arguments are known. */
export interface Foreseen {
  readonly decisions: ReadonlySet<Decision>;
  /** The decision that arguments cannot change, or that stands where they meet no condition. */
  readonly ruling: Ruling;
}

/** What a policy says of a call whatever its arguments are: asked when the tools of a generation are listed. */
export function foresee(rules: Rules, call: PolicedCall): Foreseen {
  const selected = rules.selecting(call);
  const ruling = rulingOf(selected, ({ is_conditional }) => !is_conditional);
  const isStronger = (decision: Decision) => STRENGTH.indexOf(decision) < STRENGTH.indexOf(ruling.decision);
  const open = selected.filter(({ is_conditional, of_allowed }) => is_conditional && of_allowed !== true);
  // Where no rule matches, a conditional one still may.
  const later = open.map(({ decide: later }) => later).filter((later) => ruling.rule === null || isStronger(later));
  // An approval of allowed calls counts as soon as a condition allows the call.
  const approves = later.includes('allow') && selected.some(({ of_allowed }) => of_allowed === true);
  const possible = later.map((decision) => (approves && decision === 'allow' ? 'require_approval' : decision));
  return { decisions: new Set([ruling.decision, ...possible]), ruling };
}

function rulingOf(ranked: readonly Rule[], matches: (rule: Rule) => boolean): Ruling {
  let approval: Rule | undefined;
  for (const rule of ranked) {
    if (!matches(rule)) continue;
    if (rule.of_allowed !== true) return toRuling(approval !== undefined && rule.decide === 'allow' ? approval : rule);
    approval ??= rule;
  }
  return { decision: 'deny', rule: null, because: 'no rule of the policy allows it' };
}

function toRuling({ decide: decision, pointer: rule, because }: Rule): Ruling {
  return { decision, rule, because };
}

const always = (): boolean => true;

function toAllowed(name: string, pointer: string): Rule {
  const because = 'the policy allows it by name';
  const tools = new Set([name]);
  return {
    pointer,
    decide: 'allow',
    because,
    tools,
    conditions: [],
    is_conditional: false,
    binds: false,
    selects: always,
  };
}

const EFFECTS: readonly string[] = Object.keys({
  read_only: true,
  state_change: true,
  external_side_effect: true,
} satisfies Record<EffectClass, true>);

export function isEffectClass(name: string): name is EffectClass {
  return EFFECTS.includes(name);
}

function toApproval(name: string, pointer: string): Rule {
  const because = `the policy requires a person's approval of ${isEffectClass(name) ? `every ${name} call` : 'it'}`;
  return {
    pointer,
    decide: 'require_approval',
    because,
    of_allowed: true,
    conditions: [],
    is_conditional: false,
    binds: true,
    selects: isEffectClass(name) ? ({ effect }) => effect === name : always,
    ...(isEffectClass(name) ? {} : { tools: new Set([name]) }),
  };
}

function toRule(authored: AuthoredRule, pointer: string, placeOf: ReturnType<typeof placesOfPolicy>): Rule {
  const conditions = Object.entries(authored.arguments ?? {}).map(([place, condition]) =>
    compileCondition(placeOf(place), condition),
  );
  const origins = toOriginCondition(authored);
  return {
    pointer,
    decide: authored.decide,
    because: authored.because ?? 'a rule of the policy matches it',
    conditions,
    is_conditional: conditions.length > 0 || origins !== undefined,
    binds: bindsArguments(authored),
    selects: toSelector(authored),
    ...(origins && { origins }),
    ...(authored.tools === undefined ? {} : { tools: new Set(authored.tools) }),
  };
}

/** A limit of an amount binds nothing else: whom it is sent to stays free. */
function bindsArguments({ arguments: conditions = {}, origins, decide: decision }: AuthoredRule): boolean {
  const listed = Object.values(conditions);
  if (origins !== undefined || (decision !== 'allow' && listed.length === 0)) return true;
  // A rule that allows binds the values that it names. A rule that denies or asks binds them by catching all others.
  const [word, member] = decision === 'allow' ? ['known', 'one_of'] : ['unknown', 'none_of'];
  return listed.some((one) => (typeof one === 'string' ? one === word : member in one));
}

function toSelector({ effects, sources, subjects }: AuthoredRule): Rule['selects'] {
  const has = (listed: readonly string[] | undefined, value: string | undefined): boolean =>
    listed === undefined || (value !== undefined && listed.includes(value));
  return (call) => has(effects, call.effect) && has(sources, call.source) && has(subjects, call.subject);
}
