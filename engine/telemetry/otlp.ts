import { present } from '../contract/present.js';
import {
  type Attributes as OtelAttributes,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { CONVENTIONS_URL, INSTRUMENTS, type InstrumentName } from './names.js';
import type { Attributes, Measurement, Signals, Span } from './span.js';

/** Where a signal goes, and the headers of each request. */
export interface Receiver {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The exported signals and their receivers. The exporters read the rest, such as certificates, from `OTEL_*` themselves. */
export interface OtlpSettings {
  /** Left out where no spans are exported. */
  readonly traces?: Receiver;
  /** Left out where no metrics are exported. */
  readonly metrics?: Receiver;
  /** Which part of all attempts is traced, from 0 to 1. */
  readonly sampled_ratio: number;
  readonly service_version: string;
}

/** Exports by OTLP over HTTP. Close it. */
interface Otlp {
  readonly send: (signals: Signals) => void;
  /** Sends what has not been sent yet, for a while. */
  readonly close: () => Promise<void>;
}

/** How many spans may wait to be sent: those of a turn of ten thousand agents arrive at once. */
const QUEUE_MAX = 65_536;
/** How long the end of a process waits for what has not been sent. */
const CLOSE_MS = 3_000;
const GIVEN_UP = `telemetry: what could not be sent within ${CLOSE_MS / 1000} s of the end is given up`;

const SCOPE = { name: 'chukwa', schemaUrl: CONVENTIONS_URL };

/**
 * Opens the exporters. Neither they nor the metrics are registered anywhere: a host that this engine is a part of keeps its
 * own.
 * @param complain is called once with the reason why nothing can be sent, and again when it has been possible meanwhile
 */
export function openOtlp(settings: OtlpSettings, complain: (text: string) => void): Otlp {
  const resource = toResource(settings.service_version);
  const traces = openTraces(settings, resource, complain);
  const metrics = openMetrics(settings, resource, complain);
  return {
    send: ({ spans, measurements }) => {
      for (const span of spans) traces?.send(span);
      for (const measurement of measurements) metrics?.send(measurement);
    },
    close: async () => {
      const closing = Promise.allSettled([traces?.close(), metrics?.close()]);
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<'over'>((resolve) => (timer = setTimeout(() => resolve('over'), CLOSE_MS)));
      if ((await Promise.race([closing, over])) === 'over') complain(GIVEN_UP);
      clearTimeout(timer);
    },
  };
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override these. */
function toResource(version: string): Resource {
  const own = resourceFromAttributes({ 'service.name': 'chukwa', 'service.version': version });
  return own.merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

interface Sender<Item> {
  send(item: Item): void;
  close(): Promise<void>;
}

function openTraces(
  { traces, sampled_ratio, service_version }: OtlpSettings,
  resource: Resource,
  complain: (text: string) => void,
): Sender<Span> | undefined {
  if (traces === undefined) return undefined;
  const exporter = complainOf(new OTLPTraceExporter(toOptions(traces)), `spans to ${originOf(traces)}`, complain);
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: QUEUE_MAX });
  const sampler = new TraceIdRatioBasedSampler(sampled_ratio);
  const scope = { ...SCOPE, version: service_version };
  return {
    send: (span) => {
      if (sampler.shouldSample(ROOT_CONTEXT, span.trace_id).decision === SamplingDecision.NOT_RECORD) return;
      processor.onEnd(toReadable(span, resource, scope));
    },
    close: () => processor.shutdown(),
  };
}

function toReadable(span: Span, resource: Resource, scope: ReadableSpan['instrumentationScope']): ReadableSpan {
  const { trace_id, span_id, parent_span_id, name, kind, began_at, ended_at, attributes, error, links } = span;
  return {
    name,
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => toContext(trace_id, span_id),
    ...present({ parentSpanContext: parent_span_id === undefined ? undefined : toContext(trace_id, parent_span_id) }),
    startTime: toHrTime(began_at),
    endTime: toHrTime(ended_at),
    duration: toHrTime(Math.max(0, ended_at - began_at)),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, ...error },
    attributes: toOtelAttributes(attributes),
    links: links.map((link) => ({ context: toContext(link.trace_id, link.span_id) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function toContext(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

function toHrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function toOtelAttributes(attributes: Attributes): OtelAttributes {
  const kept: OtelAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) kept[name] = typeof value === 'object' ? [...value] : value;
  }
  return kept;
}

function openMetrics(
  { metrics, service_version }: OtlpSettings,
  resource: Resource,
  complain: (text: string) => void,
): Sender<Measurement> | undefined {
  if (metrics === undefined) return undefined;
  const exporter = complainOf(new OTLPMetricExporter(toOptions(metrics)), `metrics to ${originOf(metrics)}`, complain);
  const provider = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter })],
  });
  const meter = provider.getMeter(SCOPE.name, service_version, { schemaUrl: SCOPE.schemaUrl });
  const open = (name: InstrumentName): ((value: number, attributes: OtelAttributes) => void) => {
    const { kind, ...said } = INSTRUMENTS[name];
    if (kind === 'histogram') {
      const histogram = meter.createHistogram(name, said);
      return (value, attributes) => histogram.record(value, attributes);
    }
    const counter = meter.createCounter(name, said);
    return (value, attributes) => counter.add(value, attributes);
  };
  const records = new Map(Object.keys(INSTRUMENTS).map((name) => [name, open(name as InstrumentName)] as const));
  return {
    send: ({ instrument, value, attributes }) => records.get(instrument)?.(value, toOtelAttributes(attributes)),
    close: () => provider.shutdown(),
  };
}

function toOptions({ url, headers }: Receiver) {
  return { url, headers: { ...headers } };
}

function originOf({ url }: Receiver): string {
  return new URL(url).origin;
}

/** The same exporter, which says why it cannot send: an operator whose collector is away is notified once. */
function complainOf<
  Given extends { export(batch: never, done: (result: { code: number; error?: Error }) => void): void },
>(exporter: Given, what: string, complain: (text: string) => void): Given {
  let hasFailed = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, (result) => {
      const fails = result.error !== undefined;
      if (fails && !hasFailed) complain(`telemetry: cannot send ${what}: ${result.error?.message ?? ''}`);
      hasFailed = fails;
      done(result);
    });
  return exporter;
}
