import { type Curve, growthOf, type Point } from './curve.js';

const COLUMNS = 3;
const PANEL = { width: 300, height: 190 };
const PLOT = { left: 52, right: 18, top: 48, bottom: 36 };

/** Curves beside each other as an SVG picture; both axes are logarithmic, and what is flat is a level line. */
export function drawCurves(curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const size = { width: COLUMNS * PANEL.width, height: rows * PANEL.height };
  const panels = curves.map((curve, index) => {
    const x = (index % COLUMNS) * PANEL.width;
    const y = Math.floor(index / COLUMNS) * PANEL.height;
    return `<g transform="translate(${x} ${y})">${drawPanel(curve)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="How figures grow">
<style>${STYLE}</style>
${panels.join('\n')}
</svg>
`;
}

const STYLE = `
text { font: 11px system-ui, sans-serif; fill: #57606a }
.title { font-size: 13px; font-weight: 600; fill: #1f2328 }
.axis { stroke: #d0d7de }
.line { fill: none; stroke: #0969da; stroke-width: 2 }
circle { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #f0f6fc } .axis { stroke: #3d444d }
  .line { stroke: #4493f8 } circle { fill: #4493f8 }
}`;

function drawPanel(curve: Curve): string {
  const { points, title, over, unit } = curve;
  const x = toScale(
    points.map((point) => point.x),
    { from: PLOT.left, to: PANEL.width - PLOT.right },
  );
  const y = toScale(decadesAround(points), { from: PANEL.height - PLOT.bottom, to: PLOT.top });
  const at = ({ x: over_x, y: value }: Point): string => `${round(x(over_x))} ${round(y(value))}`;
  const ground = PANEL.height - PLOT.bottom;
  const ticks = points.filter(
    (_point, index) => index % Math.ceil(points.length / 6) === 0 || index === points.length - 1,
  );
  const { x: more, y: times } = growthOf(curve);
  return `<text class="title" x="${PLOT.left}" y="18">${title}, ${unit}</text>
<text x="${PLOT.left}" y="34">${shorten(more)} times as many: ${shorten(times)} times</text>
${decadesAround(points)
  .map(
    (value) =>
      `<line class="axis" x1="${PLOT.left}" x2="${PANEL.width - PLOT.right}" y1="${round(y(value))}" y2="${round(y(value))}"/><text x="${PLOT.left - 6}" y="${round(y(value)) + 4}" text-anchor="end">${shorten(value)}</text>`,
  )
  .join('')}
<path class="line" d="M${points.map(at).join('L')}"/>
${points.map((point) => `<circle cx="${round(x(point.x))}" cy="${round(y(point.y))}" r="3"><title>${point.x}: ${point.y}</title></circle>`).join('')}
${ticks.map((point) => `<text x="${round(x(point.x))}" y="${ground + 16}" text-anchor="middle">${shorten(point.x)}</text>`).join('')}
<text x="${PANEL.width - PLOT.right}" y="${ground + 30}" text-anchor="end">${over}</text>`;
}

/** A logarithmic scale over some positive values. */
function toScale(values: readonly number[], { from, to }: { readonly from: number; readonly to: number }) {
  const [least, most] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  return (value: number): number =>
    from + (most === least ? 0.5 : (Math.log10(value) - least) / (most - least)) * (to - from);
}

/** The powers of ten that hold all values between them. */
function decadesAround(points: readonly Point[]): readonly number[] {
  const logarithms = points.map(({ y }) => Math.log10(y));
  const least = Math.floor(Math.min(...logarithms));
  const most = Math.max(least + 1, Math.ceil(Math.max(...logarithms)));
  return Array.from({ length: most - least + 1 }, (_none, index) => 10 ** (least + index));
}

function shorten(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  return value >= 1_000 ? `${Number((value / 1_000).toFixed(1))}k` : String(Number(value.toPrecision(2)));
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
