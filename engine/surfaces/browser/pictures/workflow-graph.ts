import type { CognitionWorkflow } from '../../../generated/workflow.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { shorten } from '../parts/text.js';
import { type Arrow, type Box, BOX_HEIGHT, boxesOf } from './workflow-boxes.js';

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
