import type { Observe } from '../runtime/progress.js';
import { createObserve } from './observe-attempt.js';
import { openOtlp, type OtlpSettings } from './otlp.js';

export type { Receiver } from './otlp.js';

export interface TelemetrySettings extends Omit<OtlpSettings, 'service_version'> {
  /** Whether prompts, answers, arguments and messages of failures are exported, as redaction lets them be seen. */
  readonly has_contents: boolean;
}

/** Spans and metrics of every attempt that is driven here. Close it. */
export interface Telemetry {
  readonly observe: Observe;
  /** Sends what has not been sent yet, for a few seconds at most. */
  close(): Promise<void>;
}

/**
 * Opens telemetry. This module imports OpenTelemetry: import it only where telemetry is wanted.
 * @param complain is called once with the reason why nothing can be sent
 */
export function openTelemetry(
  settings: TelemetrySettings,
  { service_version, now }: { readonly service_version: string; readonly now: () => number },
  complain: (text: string) => void,
): Telemetry {
  const { send, close } = openOtlp({ ...settings, service_version }, complain);
  return { observe: createObserve({ send, now, has_contents: settings.has_contents }), close };
}
