import { type Curve, growthOf, type Point } from './curve.js';

const COLUMNS = 3;
const PANEL = { width: 320, height: 220 };
const PLOT = { left: 52, right: 24, top: 64, bottom: 46 };

/**
 * Curves beside each other as an SVG picture: the figure as a line, the CPU of a turn as a dashed one. Both axes are
 * logarithmic, and a constant figure is a level line.
 */
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
svg { background: #ffffff }
text { font: 11px system-ui, sans-serif; fill: #57606a }
.title { font-size: 13px; font-weight: 600; fill: #1f2328 }
.axis { stroke: #d0d7de }
.figure { stroke: #0969da; fill: #0969da } .cpu { stroke: #bc4c00; fill: #bc4c00 }
path { fill: none !important; stroke-width: 2 } path.cpu { stroke-dasharray: 5 3 }
text.figure, text.cpu { stroke: none }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 }
  text { fill: #9198a1 } .title { fill: #f0f6fc } .axis { stroke: #3d444d }
  .figure { stroke: #4493f8; fill: #4493f8 } .cpu { stroke: #f0883e; fill: #f0883e }
}`;

/** Where a point of a panel is. */
interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function drawPanel(curve: Curve): string {
  const { points, title, over, unit } = curve;
  const perUnit = unit === 's' ? 1_000 : 1;
  const cpu = points.flatMap(({ x, cpu_ms }) => (cpu_ms === undefined ? [] : [{ x, y: cpu_ms / perUnit }]));
  const decades = decadesAround([...points, ...cpu]);
  const scales: Scales = {
    x: toScale(
      points.map((point) => point.x),
      { from: PLOT.left, to: PANEL.width - PLOT.right },
    ),
    y: toScale(decades, { from: PANEL.height - PLOT.bottom, to: PLOT.top }),
  };
  const { x: more, y: times, cpu_ms: cpuTimes } = growthOf(curve);
  const grows = `${shorten(more)} times as many ${over}`;
  return `<text class="title" x="14" y="18">${title}</text>
<text class="figure" x="14" y="35">${unit === '/s' ? 'turns/s' : unit}: ${shorten(times)} x</text>
<text x="14" y="51">${grows}</text>
${cpuTimes === undefined ? '' : `<text class="cpu" x="120" y="35">CPU, ${unit === 's' ? 's' : 'ms'}: ${shorten(cpuTimes)} x</text>`}
${decades.map((value) => drawDecade(value, scales)).join('')}
${drawLine('figure', points, scales)}
${cpu.length === 0 ? '' : drawLine('cpu', cpu, scales)}
${ticksOf(points)
  .map(({ x }) => `<text x="${round(scales.x(x))}" y="${GROUND + 16}" text-anchor="middle">${shorten(x)}</text>`)
  .join('')}
<text x="${PANEL.width - PLOT.right}" y="${GROUND + 32}" text-anchor="end">${over}</text>`;
}

const GROUND = PANEL.height - PLOT.bottom;

function drawDecade(value: number, { y }: Scales): string {
  const height = round(y(value));
  return `<line class="axis" x1="${PLOT.left}" x2="${PANEL.width - PLOT.right}" y1="${height}" y2="${height}"/><text x="${PLOT.left - 6}" y="${height + 4}" text-anchor="end">${shorten(value)}</text>`;
}

function drawLine(kind: 'figure' | 'cpu', points: readonly Point[], { x, y }: Scales): string {
  const at = (point: Point): string => `${round(x(point.x))} ${round(y(point.y))}`;
  const dots = points.map(
    (point) =>
      `<circle class="${kind}" cx="${round(x(point.x))}" cy="${round(y(point.y))}" r="3"><title>${point.x}: ${shorten(point.y)}</title></circle>`,
  );
  return `<path class="${kind}" d="M${points.map(at).join('L')}"/>${dots.join('')}`;
}

/** Six at most, the last among them. */
function ticksOf(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / 6);
  return points.filter((_point, index) => index % step === 0 || index === points.length - 1);
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
