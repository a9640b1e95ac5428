/** Wakes one sleeper: by a ring, or when the time is up. A ring while nobody sleeps is kept for the next. */
export interface Alarm {
  ring(): void;
  /** @returns whether it rang */
  sleep(most_ms: number): Promise<boolean>;
}

/** An alarm that has not rung. */
export function openAlarm(): Alarm {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async sleep(most_ms) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, most_ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const rang = hasRung;
      wake = undefined;
      hasRung = false;
      return rang;
    },
  };
}
