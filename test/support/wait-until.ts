/** Waits until something holds, asking again and again; whoever runs the test says how long is too long. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resume) => setTimeout(resume, 10));
}
