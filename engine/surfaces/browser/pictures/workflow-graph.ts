import type { CognitionWorkflow } from '../../../generated/workflow.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { shorten, words } from '../parts/text.js';
import { nodeTypeOf } from '../../../core/nodes/index.js';
import type { AuthoredNode } from '../../../core/nodes/node-type.js';
import { promptsOf } from '../../../core/binding/prompt-messages.js';
import { edgesOf } from '../../../core/nodes/references.js';

/** The approximate width of a character of a title, and the margin of a box. */
const CHARACTER_WIDTH = 7.6;
const SMALL_CHARACTER_WIDTH = 6;
const FREE_WIDTH = 32;
/** The distance from a box's corner at which an arrow over other boxes leaves and reaches it. */
const CORNER = 30;

/** A workflow as a graph: each box links to its section of the page. */
export function workflowGraph(workflow: CognitionWorkflow): Html {
  const { boxes, arrows, width, height } = boxesOf(workflow);
  const label = `The workflow as a graph: ${boxes.map(({ title, kind }) => `${kind} ${title}`).join(', ')}.`;
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return html`<div class="scroll picture" tabindex="0" role="group" aria-label="Graph of the workflow">
<svg class="graph" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-label="${label}"><title>Graph of the workflow</title>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="arrow-head" d="M0 0.5 L7.5 4 L0 7.5 z"/></marker></defs>
${arrows.map((arrow) => drawArrow(arrow, byId))}${boxes.map(drawBox)}</svg></div>`;
}

function drawBox({ kind, title, subtitle, anchor, x, y, width }: Box): Html {
  return html`<a href="#${anchor}" class="box box-${kind}"><rect x="${x}" y="${y}" width="${width}" height="${BOX_HEIGHT}" rx="${kind === 'tool' || kind === 'ambient' ? BOX_HEIGHT / 2 : 8}"/>
<text class="box-title" x="${x + 18}" y="${y + 21}">${fit(title, width)}</text><text class="box-subtitle" x="${x + 18}" y="${y + 38}">${fit(subtitle, width, SMALL_CHARACTER_WIDTH)}</text><title>${kind} ${title}, ${subtitle}</title></a>`;
}

function fit(text: string, width: number, character_width = CHARACTER_WIDTH): string {
  return shorten(text, Math.floor((width - FREE_WIDTH) / character_width));
}

function drawArrow({ from, to, is_mutual, is_over }: Arrow, boxes: ReadonlyMap<string, Box>): HtmlValue {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) return NOTHING;
  if (is_mutual) {
    const x = start.x + 13;
    const y = end.y + BOX_HEIGHT / 2;
    return html`<path class="arrow mutual" d="M${x} ${start.y + BOX_HEIGHT} L${x} ${y} L${end.x - 1} ${y}" marker-end="url(#arrow)"/>`;
  }
  const [x1, y1] = [start.x + start.width, start.y + BOX_HEIGHT / 2];
  const [x2, y2] = [end.x - 2, end.y + BOX_HEIGHT / 2];
  const bend = (x2 - x1) / 2;
  if (is_over) {
    const top = Math.min(start.y, end.y) - BOX_HEIGHT;
    return html`<path class="arrow" d="M${x1 - CORNER} ${start.y} C${x1} ${top} ${x2 - CORNER} ${top} ${end.x + CORNER} ${end.y - 2}" marker-end="url(#arrow)"/>`;
  }
  return html`<path class="arrow" d="M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}" marker-end="url(#arrow)"/>`;
}

interface Box {
  readonly id: string;
  readonly kind: 'ambient' | 'node' | 'tool' | 'apply';
  readonly title: string;
  readonly subtitle: string;
  /** The fragment of the section about it. */
  readonly anchor: string;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Whether it is a tool, with a request and an answer. */
  readonly is_mutual: boolean;
  /** Whether it passes above the columns between its ends. */
  readonly is_over: boolean;
}

const BOX_HEIGHT = 50;
const BOX_WIDTH = 216;
const COLUMN = BOX_WIDTH + 66;
const ROW = BOX_HEIGHT + 16;
const EDGE = 8;
/** The room above boxes for arrows that pass over them. */
const HEADROOM = 32;
const TOOL_INDENT = 26;

type Draft = Omit<Box, 'x' | 'y' | 'width'>;

/**
 * Lays a workflow out: ambient sources to the left, then nodes by their references, each with its tools below it, and
 * the applied patch to the right.
 * @param workflow with the texts of its prompts
 */
function boxesOf(workflow: CognitionWorkflow) {
  const depths = depthsOf(workflow.nodes);
  const first = workflow.ambient_sources.length > 0 ? 1 : 0;
  const nodes = workflow.nodes.flatMap((node) => nodeBoxes(node, first + (depths.get(node.id) ?? 0)));
  const last = Math.max(...nodes.map(({ column }) => column), 0) + 1;
  const drafts = [...workflow.ambient_sources.map(ambientBox), ...nodes, applyBox(workflow, last)];
  const heights = Array.from({ length: last + 1 }, (_, column) => drafts.filter((box) => box.column === column).length);
  const most = Math.max(...heights);
  const filled = heights.map(() => 0);
  const arrows = arrowsOf(workflow, new Map(drafts.map(({ id, column }) => [id, column])));
  const head = EDGE + (arrows.some(({ is_over }) => is_over) ? HEADROOM : 0);
  const boxes = drafts.map((draft): Box => {
    const { column } = draft;
    const row = filled[column] ?? 0;
    filled[column] = row + 1;
    const top = ((most - (heights[column] ?? 0)) / 2) * ROW;
    const indent = draft.kind === 'tool' ? TOOL_INDENT : 0;
    return { ...draft, x: EDGE + column * COLUMN + indent, y: head + top + row * ROW, width: BOX_WIDTH - indent };
  });
  return {
    boxes,
    arrows,
    width: 2 * EDGE + last * COLUMN + BOX_WIDTH,
    height: head + EDGE + most * ROW - (ROW - BOX_HEIGHT),
  };
}

function ambientBox({ id, run }: CognitionWorkflow['ambient_sources'][number]): Draft {
  return { id: `ambient/${id}`, kind: 'ambient', title: id, subtitle: words(run), anchor: `ambient-${id}`, column: 0 };
}

function nodeBoxes(node: AuthoredNode, column: number): readonly Draft[] {
  const tools = 'available_tools' in node ? node.available_tools : [];
  return [
    {
      id: `node/${node.id}`,
      kind: 'node',
      title: node.id,
      subtitle: `${words(node.type)}${'gate' in node && node.gate !== undefined ? ', with a gate' : ''}`,
      anchor: `node-${node.id}`,
      column,
    },
    ...tools.map(
      ({ name, effect }): Draft => ({
        id: `tool/${node.id}/${name}`,
        kind: 'tool',
        title: name,
        subtitle: words(effect),
        anchor: `tool-${name}`,
        column,
      }),
    ),
  ];
}

function applyBox({ apply }: CognitionWorkflow, column: number): Draft {
  const subtitle = apply === undefined ? 'stays as it is' : `apply ${apply.from}`;
  return { id: 'apply', kind: 'apply', title: 'the world', subtitle, anchor: 'apply', column };
}

function arrowsOf(
  { ambient_sources, nodes, apply }: CognitionWorkflow,
  columns: ReadonlyMap<string, number>,
): readonly Arrow[] {
  const arrow = (from: string, to: string, is_mutual = false): Arrow => ({
    from,
    to,
    is_mutual,
    is_over: (columns.get(to) ?? 0) - (columns.get(from) ?? 0) > 1,
  });
  return [
    ...nodes.flatMap((node) =>
      readsAmbients(node) ? ambient_sources.map(({ id }) => arrow(`ambient/${id}`, `node/${node.id}`)) : [],
    ),
    ...nodes.flatMap((node) =>
      [...new Set(edgesOf(nodeTypeOf(node), node))].map((id) => arrow(`node/${id}`, `node/${node.id}`)),
    ),
    ...nodes.flatMap((node) =>
      'available_tools' in node
        ? node.available_tools.map(({ name }) => arrow(`node/${node.id}`, `tool/${node.id}/${name}`, true))
        : [],
    ),
    ...(apply === undefined ? [] : [arrow(`node/${apply.from.replace(/\.final$/, '')}`, 'apply')]),
  ];
}

function readsAmbients(node: AuthoredNode): boolean {
  if ('request_template' in node) return JSON.stringify(node.request_template).includes('"/ambient');
  return JSON.stringify(promptsOf(node)).includes('{{ambient.');
}

function depthsOf(nodes: CognitionWorkflow['nodes']): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  // A compiled workflow has no cycle, so each round settles at least one node.
  for (let round = 0; round < nodes.length; round++)
    for (const node of nodes) {
      const before = edgesOf(nodeTypeOf(node), node).map((id) => depths.get(id) ?? 0);
      depths.set(node.id, before.length === 0 ? 0 : Math.max(...before) + 1);
    }
  return depths;
}
