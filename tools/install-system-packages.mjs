import { spawnSync } from 'node:child_process';

// Installs the programs that tests start besides Node's packages, where they are missing and this user may. It runs
// before `npm ci`, so it is JavaScript and imports no package. Where it cannot install, the tests that need a program
// say how to get it, and fail under CI=true.

/** Programs, and the Debian packages that bring them. */
const PROGRAMS = { 'nats-server': 'nats-server', chromium: 'chromium' };

const missing = Object.keys(PROGRAMS).filter((program) => !isInstalled(program));
if (missing.length > 0) install(missing.map((program) => PROGRAMS[program]));

/** @param {string} text */
function print(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string} program */
function isInstalled(program) {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/bin`;
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
}

/** @param {readonly string[]} packages */
function install(packages) {
  const list = packages.join(' ');
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) {
    print(`Not installed, and this user cannot: ${list}. On Debian: sudo apt-get install ${list}`);
    return;
  }
  print(`Installing ${list}`);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const flags = ['install', '--yes', '--no-install-recommends', ...packages];
  const isDone = () => spawnSync('apt-get', flags, options).status === 0;
  if (isDone()) return;
  spawnSync('apt-get', ['update'], options);
  if (!isDone()) print(`Could not install ${list}; the tests that need it will fail.`);
}
