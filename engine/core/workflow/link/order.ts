/** What each file, node or schema refers to. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * Files in an order in which each comes after all that it refers to.
 * Files on a cycle, and files that refer to one, cannot be ordered and are left out.
 */
export function bottomUp(graph: Graph): readonly string[] {
  const waiting = new Map([...graph].map(([file, targets]) => [file, new Set(targets).size]));
  const referrers = invert(graph);
  const ordered = [...waiting].filter(([, count]) => count === 0).map(([file]) => file);
  for (const file of ordered) {
    for (const referrer of referrers.get(file) ?? []) {
      const count = (waiting.get(referrer) ?? 0) - 1;
      waiting.set(referrer, count);
      if (count === 0) ordered.push(referrer);
    }
  }
  return ordered;
}

/** The shortest way along references. @returns undefined where there is none */
export function findChain(graph: Graph, from: string, to: string): readonly string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const [file] of cameFrom) {
    if (file === to) return trace(cameFrom, to);
    for (const target of graph.get(file) ?? []) {
      if (!cameFrom.has(target)) cameFrom.set(target, file);
    }
  }
  return undefined;
}

/** All that references lead to from one, itself included. */
export function listReached(graph: ReadonlyMap<string, Iterable<string>>, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const one of reached) for (const next of graph.get(one) ?? []) reached.add(next);
  return reached;
}

/** Who refers to each. */
function invert(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> {
  const referrers = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const known = referrers.get(target) ?? new Set();
      referrers.set(target, known.add(file));
    }
  }
  return referrers;
}

function trace(cameFrom: ReadonlyMap<string, string | undefined>, to: string): readonly string[] {
  const chain: string[] = [];
  for (let file: string | undefined = to; file !== undefined; file = cameFrom.get(file)) chain.unshift(file);
  return chain;
}
