/**
 * Finds which nodes of a graph lie on circles: Tarjan's strongly connected components.
 * @returns for each node that can come back to itself, the number of its component; others are left out
 */
export function findCircles<Node>(
  nodes: readonly Node[],
  next: (node: Node) => readonly Node[],
): ReadonlyMap<Node, number> {
  const order = new Map<Node, number>();
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  const circles = new Map<Node, number>();
  const visit = (node: Node): number => {
    const at = order.size;
    order.set(node, at);
    open.push(node);
    isOpen.add(node);
    let low = at;
    let comesBack = false;
    for (const other of next(node)) {
      comesBack ||= other === node;
      if (!order.has(other)) low = Math.min(low, visit(other));
      else if (isOpen.has(other)) low = Math.min(low, order.get(other) ?? low);
    }
    if (low < at) return low;
    const component = open.splice(open.indexOf(node));
    for (const one of component) {
      isOpen.delete(one);
      if (component.length > 1 || comesBack) circles.set(one, at);
    }
    return low;
  };
  for (const node of nodes) if (!order.has(node)) visit(node);
  return circles;
}
