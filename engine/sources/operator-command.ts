import { spawn } from 'node:child_process';

/** The longest answer that is read of a command. */
const ANSWER_BYTES_MAX = 65_536;

/**
 * Runs a command of the operator in a shell, and gives it a text. When it is stopped, all that it has started ends with it.
 * @param signal stops it
 * @returns what it has printed
 * @throws Error that says why it could not be started, or how it ended
 */
export function runOperatorCommand(command: string, text: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the shell started ends with it.
    const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    signal.addEventListener('abort', end, { once: true });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      if (said.length > ANSWER_BYTES_MAX) end();
    });
    child.on('error', () => reject(new Error('its command cannot be started')));
    child.on('close', (code) => {
      signal.removeEventListener('abort', end);
      if (code === 0) resolve(said);
      else reject(new Error(`its command ended with ${code ?? 'a signal'}`));
    });
    // A command that reads nothing may end before it is written to.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}
