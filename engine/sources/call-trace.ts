import type { Json } from '../contract/json.js';
import type { Alarm, TokenUsage, TraceSink } from '../contract/source.js';
import { toJson } from '../core/content/i-json.js';
import type { CallTrace } from '../ports/sources.js';
import type { Clock } from '../ports/clock.js';
import { ChunkCollector } from './chunk-collector.js';
import type { Ready, Reply } from './passage.js';
import { COUNTS_DOUBTED, doubtCounts, doubtLimited, doubtShrunk } from '../core/protocol/token-counts.js';
import { makeSourceFailure } from './source-failure.js';

export interface CallOutside {
  readonly clock: Pick<Clock, 'now'>;
  readonly alarm: Alarm;
}

/** Receives a plugin's reports during its call. */
interface OpenCallTrace {
  readonly sink: TraceSink;
  /**
   * The unrecorded rest, for the end of the call. Later reports are dropped.
   * @throws the recorder's error, if one was thrown while the call was under way
   */
  readonly finish: () => Promise<Pick<Reply, 'usage' | 'trace'>>;
}

/** Opens the trace of a call. `lost` is called when a flush could not be written. */
export function openCallTrace(passage: Ready, { clock, alarm }: CallOutside, lost: () => void): OpenCallTrace {
  const { max_result_bytes } = passage.command.call.limits;
  const collector = new ChunkCollector({
    offset: () => Math.max(0, clock.now() - passage.started_at),
    write: (batch) => passage.recorder.flushed(batch),
    lost,
    secrets: passage.secrets,
    alarm,
    max_bytes: max_result_bytes,
  });
  const artifacts: { kind: string; value: Json }[] = [];
  let artifactBytes = 0;
  let usage: TokenUsage | undefined;
  let reported: TokenUsage | undefined;
  let contradicted: string | undefined;
  let characters = 0;
  let open = true;
  return {
    sink: {
      chunk: (text) => {
        if (!open) return;
        characters += text.length;
        collector.chunk(text);
      },
      tokens: (report) => {
        if (!open) return;
        reported = { ...report };
        const counted = toTokenUsage(report);
        contradicted ??= usage && counted && doubtShrunk(usage, counted);
        usage = counted ?? usage;
      },
      artifact: (kind, value) => {
        if (!open) return;
        const kept = { kind, value: passage.secrets.json(toStorable(value)) };
        artifactBytes += Buffer.byteLength(JSON.stringify(kept));
        if (artifactBytes > ARTIFACT_SHARE_MAX * max_result_bytes + ARTIFACT_BYTES_MIN)
          throw makeSourceFailure('result_too_large', 'what the plugin left beside the answer is too much to be kept');
        artifacts.push(kept);
      },
    },
    finish: async () => {
      open = false;
      const chunks = await collector.finish();
      const { generation, call, max_output_tokens } = passage.command;
      const limit = max_output_tokens ?? call.source.output_limit;
      // What is computed from the record anew cannot find these doubts: such counts are left out of it.
      const unkept = contradicted ?? (usage && generation && doubtLimited(usage, limit, characters));
      const doubt = unkept ?? (reported && generation && doubtCounts(reported, generation.messages, characters));
      const trace: CallTrace = {
        chunks,
        artifacts: doubt === undefined ? artifacts : [...artifacts, { kind: COUNTS_DOUBTED, value: doubt }],
      };
      return {
        ...(usage && unkept === undefined ? { usage } : {}),
        ...(passage.route.plugin.speaks === 'chat' ? { trace } : {}),
      };
    },
  };
}

/** Escapes make JSON longer than the text in it. */
const ARTIFACT_SHARE_MAX = 6;
const ARTIFACT_BYTES_MIN = 65_536;

function toStorable(value: Json): Json {
  const read = toJson(value);
  return read.ok ? read.value : { left_out: `${read.problem.reason} (at ${read.problem.pointer})` };
}

const PARTS = ['cached_input_tokens', 'cache_written_input_tokens', 'reasoning_tokens'] as const;

/** Only whole numbers are counts; a report without both totals is none. */
function toTokenUsage(report: TokenUsage): TokenUsage | undefined {
  if (!isCount(report.input_tokens) || !isCount(report.output_tokens)) return undefined;
  return {
    input_tokens: report.input_tokens,
    output_tokens: report.output_tokens,
    ...Object.fromEntries(PARTS.map((part) => [part, report[part]] as const).filter(([, count]) => isCount(count))),
  };
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
