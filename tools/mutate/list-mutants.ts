import { createHash } from 'node:crypto';
import { isNode, parseTypeScript, type SyntaxNode } from '../../test/architecture/syntax.js';

/** One change at one place of a file. */
export interface Mutant {
  readonly path: string;
  /** The function, method or constant at the top of its file that it is in; empty where it is in none. */
  readonly within: string;
  /** Bytes of the file that are replaced. */
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

const DECLARATIONS = new Set(['FunctionDeclaration', 'VariableDeclarator', 'ClassMethod', 'PrivateMethod']);

/** Every mutant of a file. @throws Error where the text is no TypeScript */
export function listMutants(path: string, text: string): readonly Mutant[] {
  const { nodes, lineOf, offsetOf } = parseTypeScript(text);
  const bytes = Buffer.from(text);
  // A literal that is a type is gone before anything runs.
  const types = new Set(nodes.flatMap(({ type, literal }) => (type === 'TsLiteralType' ? [literal] : [])));
  return nodes.flatMap((node) => {
    if (types.has(node)) return [];
    const change = findChange(node, (inner) => slice(bytes, inner, offsetOf));
    if (change === undefined || node.span === undefined) return [];
    const [start, end] = [offsetOf(node.span.start), offsetOf(node.span.end)];
    // The parser adds nodes without any text.
    if (start < 0) return [];
    const before = bytes.subarray(start, end).toString();
    const within = findName(nodes, node.span);
    return [{ path, within, start, end, line: lineOf(node.span.start), before, after: change }];
  });
}

/** The name of the outermost declaration around a place: the parser gives nodes before those within them. */
function findName(nodes: readonly SyntaxNode[], { start, end }: Span): string {
  const declaration = nodes.find(
    ({ type, span }) => DECLARATIONS.has(type) && span !== undefined && span.start <= start && span.end >= end,
  );
  const name = declaration?.['identifier'] ?? declaration?.['id'] ?? declaration?.['key'];
  return isNode(name) ? String(name['value']) : '';
}

/** The first mutants in an order by seed: the same seed gives the same ones as long as the code does not change. */
export function sample(mutants: readonly Mutant[], seed: string, count: number): readonly Mutant[] {
  // Where it starts tells apart those of a line that are alike: else all of them would be taken, or none.
  const rank = ({ path, line, start, before, after }: Mutant): string =>
    createHash('sha256')
      .update(JSON.stringify([seed, path, line, start, before, after]))
      .digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .toSorted((left, right) => (left.rank < right.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

type Span = NonNullable<SyntaxNode['span']>;

type TextOf = (node: SyntaxNode) => string;

function findChange(node: SyntaxNode, textOf: TextOf): string | undefined {
  switch (node.type) {
    case 'BinaryExpression': {
      const { left, operator, right } = node;
      const other = OPERATORS[String(operator)];
      if (other === undefined || !isNode(left) || !isNode(right)) return undefined;
      return `(${textOf(left)}) ${other} (${textOf(right)})`;
    }
    case 'BooleanLiteral':
      return String(node['value'] !== true);
    case 'NumericLiteral':
      return String(Number(node['value']) + 1);
    case 'UnaryExpression':
      return node['operator'] === '!' && isNode(node['argument']) ? `!!(${textOf(node['argument'])})` : undefined;
    case 'ConditionalExpression': {
      const { test, consequent, alternate } = node;
      if (!isNode(test) || !isNode(consequent) || !isNode(alternate)) return undefined;
      return `${textOf(test)} ? ${textOf(alternate)} : ${textOf(consequent)}`;
    }
    default:
      return undefined;
  }
}

function slice(bytes: Buffer, { span }: SyntaxNode, offsetOf: (offset: number) => number): string {
  return span === undefined ? '' : bytes.subarray(offsetOf(span.start), offsetOf(span.end)).toString();
}
