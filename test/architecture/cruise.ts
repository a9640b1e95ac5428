import { execFile } from 'node:child_process';

/** The checkout, whose modules have no JavaScript beside them as they have in the copy that tests run in. */
export const PACKAGE_ROOT = `${process.env['CHUKWA_TEST_SOURCES'] ?? process.cwd()}/`;

export interface Cruise {
  readonly module_count: number;
  readonly dependency_count: number;
  readonly imports: readonly { readonly from: string; readonly to: string }[];
  readonly violations: readonly { readonly rule: string; readonly from: string; readonly to: string }[];
}

interface CruiserOutput {
  readonly summary: {
    readonly totalCruised: number;
    readonly totalDependenciesCruised: number;
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
}

/** Reads every import below the folders of a tree, and judges them by our rules. It runs as itself: a loader would break its parser. */
export async function cruise(root: string, folders: readonly string[]): Promise<Cruise> {
  const cruiser = `${PACKAGE_ROOT}node_modules/dependency-cruiser/bin/dependency-cruise.mjs`;
  const flags = ['--config', `${PACKAGE_ROOT}.dependency-cruiser.mjs`, '--output-type', 'json'];
  const output = await run(process.execPath, [cruiser, ...flags, ...folders], root);
  const { summary, modules } = JSON.parse(output) as CruiserOutput;
  return {
    module_count: summary.totalCruised,
    dependency_count: summary.totalDependenciesCruised,
    imports: modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    ),
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}

function run(command: string, flags: readonly string[], folder: string): Promise<string> {
  const environment = { ...process.env, NODE_OPTIONS: '' };
  return new Promise((resolve, reject) => {
    execFile(
      command,
      flags,
      { cwd: folder, maxBuffer: 64 * 1024 * 1024, env: environment },
      (error, output, complaint) => {
        // Violations make it exit with their count; a broken run writes no JSON.
        if (output.startsWith('{')) resolve(output);
        else reject(new Error(`${error?.message ?? 'no output'} ${complaint}`));
      },
    );
  });
}
