import { isNode, parseTypeScript, type Syntax, type SyntaxNode } from './syntax.js';

/** A rule's complaint about a file: a line, and why. */
export interface Untidy {
  readonly line: number;
  readonly why: string;
}

/** A file's text, and its syntax where a rule asks for it. */
export interface Source {
  readonly text: string;
  /** @throws Error where the text is no TypeScript */
  readonly syntax: Syntax;
}

export type TidyRule = (source: Source) => readonly Untidy[];

/** Rules share one parse of a text. */
export function toSource(text: string): Source {
  let syntax: Syntax | undefined;
  return {
    text,
    get syntax() {
      return (syntax ??= parseTypeScript(text));
    },
  };
}

/** The longest function. */
export const FUNCTION_LINES_MAX = 60;

/** The globals that would let the outside into a pure function. */
const IMPURE_GLOBALS = [
  'Date',
  'Function',
  'WebSocket',
  'XMLHttpRequest',
  'Worker',
  'console',
  'crypto',
  'eval',
  'fetch',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

const NETWORK_GLOBALS = [
  'fetch',
  'WebSocket',
  'WebTransport',
  'XMLHttpRequest',
  'EventSource',
  'globalThis',
  'global',
  'eval',
  'Function',
  'require',
];

const NETWORK_MODULES = /^(node:)?(http|https|http2|net|tls|dgram|dns|child_process|cluster)(\/promises)?$/;

/** Names of a design that is gone: no hidden default workflow, no fallback, no phases. */
const RETIRED_NAMES =
  /adjudicat|(perceive|intend)[_-]?(system|schema)|["'`](perceive|intend)["'`]|Llm_?Phase|LlmCognitionContext|execute_?with_?fallback|fallback_?of_?call|label_text/i;

const MACHINE_PATHS = /(?<![\w.])\/(work|home|Users|root)\/[A-Za-z0-9_.-]+/;
const REGISTRY_HOSTS = /\bregistry\.[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|dev|internal|io|local|net|org)\b|"resolved": "http/;

/**
 * The clock, the network, the process and chance are not there for pure code. A name that the file binds itself is its own.
 * The calendar is arithmetic, and so is a digest: `Date.UTC` reads no clock, and `crypto.subtle.digest` draws nothing.
 */
export function findImpureGlobals({ syntax }: Source): readonly Untidy[] {
  const digests = syntax.nodes.map((node) => (nameOf(node['property']) === 'digest' ? node['object'] : undefined));
  const arithmetic = [...syntax.nodes.filter((node) => isMember(node, 'Date', 'UTC')), ...digests]
    .filter((node) => isNode(node) && (isMember(node, 'Date', 'UTC') || isMember(node, 'crypto', 'subtle')))
    .map((node) => (node as SyntaxNode)['object']);
  const globals = listGlobals(syntax, IMPURE_GLOBALS).filter((node) => !arithmetic.includes(node));
  const chance = syntax.nodes.filter((node) => isMember(node, 'Math', 'random'));
  return [...globals, ...chance].map((node) =>
    at(syntax, node, `${nameOf(node) ?? 'Math.random'} is not there for pure code`),
  );
}

/** A way to the network that no import shows: globals, and access to globals by a computed name. */
export function findNetworkGlobals({ syntax }: Source): readonly Untidy[] {
  return listGlobals(syntax, NETWORK_GLOBALS).map((node) => at(syntax, node, `${nameOf(node)} leads outside`));
}

/** The process itself: the program that embeds the engine owns it. */
export function findProcess({ syntax }: Source): readonly Untidy[] {
  return [
    ...listGlobals(syntax, ['process']).map((node) => at(syntax, node, "process is the host's")),
    ...listImports(syntax, /^(node:)?process$/),
  ];
}

/** A module of Node.js that opens connections or starts programs; its types do neither. */
export function findNetworkModules({ syntax }: Source): readonly Untidy[] {
  return listImports(syntax, NETWORK_MODULES);
}

/** `any` turns the compiler off. */
export function findAny({ syntax }: Source): readonly Untidy[] {
  return syntax.nodes
    .filter((node) => node.type === 'TsKeywordType' && node['kind'] === 'any')
    .map((node) => at(syntax, node, 'any'));
}

/** A function that no screen holds. */
export function findLongFunctions({ syntax }: Source): readonly Untidy[] {
  return syntax.nodes.flatMap((node) => {
    if (
      !/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassMethod|PrivateMethod|MethodProperty|Constructor)$/.test(
        node.type,
      )
    )
      return [];
    const lines = syntax.lineOf(node.span?.end ?? 0) - syntax.lineOf(node.span?.start ?? 0) + 1;
    return lines > FUNCTION_LINES_MAX ? [at(syntax, node, `a function of ${lines} lines`)] : [];
  });
}

/** A call of a plugin, or the loading of one. Imports by a literal name are for the cruiser to judge. */
export function findWaysOut({ syntax }: Source): readonly Untidy[] {
  return syntax.nodes.flatMap((node) => {
    if (node.type === 'MemberExpression' && nameOf(node['property']) === 'invoke')
      return [at(syntax, node, 'calls invoke')];
    if (/^(AssignmentPattern|KeyValuePattern)Property$/.test(node.type) && nameOf(node['key']) === 'invoke')
      return [at(syntax, node, 'takes invoke')];
    return isOpenImport(node) ? [at(syntax, node, 'imports what is only known at run time')] : [];
  });
}

/** A plugin needs no code of ours. */
export function findContractValues({ syntax }: Source): readonly Untidy[] {
  return syntax.nodes
    .filter(
      (node) =>
        /^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type) &&
        isNode(node['source']) &&
        node['source']['value'] === 'chukwa/plugin',
    )
    .filter((node) => node['typeOnly'] !== true)
    .map((node) => at(syntax, node, 'imports more than types from chukwa/plugin'));
}

/** Names that must not come back, in any kind of file. */
export const findRetiredNames: TidyRule = ({ text }) => findLines(text, RETIRED_NAMES, 'a retired name');

/** Paths of a developer's machine. */
export const findMachinePaths: TidyRule = ({ text }) => findLines(text, MACHINE_PATHS, 'a path of one machine');

/** Hosts that one network alone may know. */
export const findRegistryHosts: TidyRule = ({ text }) =>
  findLines(text, REGISTRY_HOSTS, 'the host of a package registry');

function findLines(text: string, pattern: RegExp, why: string): readonly Untidy[] {
  return text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(line);
    return found ? [{ line: index + 1, why: `${why}: ${found[0]}` }] : [];
  });
}

function at(syntax: Syntax, node: SyntaxNode, why: string): Untidy {
  return { line: syntax.lineOf(spanOf(node)), why };
}

function spanOf(node: SyntaxNode): number {
  return node.span?.start ?? 0;
}

function nameOf(value: unknown): string | undefined {
  const name = isNode(value) ? value['value'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function isMember(node: SyntaxNode, object: string, property: string): boolean {
  return node.type === 'MemberExpression' && nameOf(node['object']) === object && nameOf(node['property']) === property;
}

function isOpenImport(node: SyntaxNode): boolean {
  if (node.type !== 'CallExpression' || !isNode(node['callee']) || node['callee'].type !== 'Import') return false;
  const [first] = node['arguments'] as readonly { readonly expression: SyntaxNode }[];
  return first?.expression.type !== 'StringLiteral';
}

/** Names of globals that a file reads and does not bind itself. */
function listGlobals(syntax: Syntax, names: readonly string[]): readonly SyntaxNode[] {
  const bound = namesBoundIn(syntax);
  return listValueNames(syntax).filter((node) => {
    const name = nameOf(node) ?? '';
    return names.includes(name) && !bound.has(name);
  });
}

/** Imports of values, static and dynamic, whose module has such a name. */
function listImports(syntax: Syntax, module: RegExp): readonly Untidy[] {
  return syntax.nodes.flatMap((node) => {
    const source = importedBy(node);
    return source !== undefined && module.test(source) ? [at(syntax, node, `imports ${source}`)] : [];
  });
}

function importedBy(node: SyntaxNode): string | undefined {
  if (/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type))
    return node['typeOnly'] === true || isTypesOnly(node) ? undefined : nameOf(node['source']);
  if (node.type !== 'CallExpression' || !isNode(node['callee']) || node['callee'].type !== 'Import') return undefined;
  const [first] = node['arguments'] as readonly { readonly expression: SyntaxNode }[];
  return nameOf(first?.expression);
}

/** `import { type A, type B } from` */
function isTypesOnly(node: SyntaxNode): boolean {
  const specifiers = node['specifiers'];
  if (!Array.isArray(specifiers) || specifiers.length === 0) return false;
  return specifiers.every((each: unknown) => isNode(each) && each['isTypeOnly'] === true);
}

/** Identifiers that read a value: no types, no names of members. */
function listValueNames({ nodes }: Syntax): readonly SyntaxNode[] {
  const named = new Set(
    nodes.flatMap((node) => [
      node.type === 'MemberExpression' ? node['property'] : undefined,
      node['key'],
      node['typeName'],
    ]),
  );
  return nodes.filter((node) => node.type === 'Identifier' && !named.has(node));
}

function namesBoundIn({ nodes }: Syntax): ReadonlySet<string> {
  const patterns = nodes.flatMap((node) => [node['pat'], node['id'], node['local'], ...parametersOf(node)]);
  return new Set(
    patterns.flatMap((pattern) => (isNode(pattern) && pattern.type === 'Identifier' ? (nameOf(pattern) ?? []) : [])),
  );
}

function parametersOf(node: SyntaxNode): readonly unknown[] {
  return Array.isArray(node['params']) ? node['params'] : [];
}
