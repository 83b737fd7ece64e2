import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import { context } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { buildHook } from './build-hook.mjs';
import { daemonBuild, root } from './build-options.mjs';
import { buildReference } from './build-reference.mjs';
import { buildWords } from './build-words.mjs';

/** Runs `svc serve` with the given options and restarts it whenever a source file changes. */

const serveOptions = process.argv.slice(2);
let daemon;
let restarting = Promise.resolve();

function stop() {
  if (!daemon || daemon.exitCode !== null) return Promise.resolve();
  const exited = new Promise((resolve) => daemon.once('exit', resolve));
  daemon.kill('SIGTERM');
  return exited;
}

function restart() {
  restarting = restarting.then(stop).then(() => {
    daemon = spawn(process.execPath, ['--enable-source-maps', `${root}bin/svc`, 'serve', ...serveOptions], {
      stdio: 'inherit',
    });
  });
}

await rm(`${root}dist`, { recursive: true, force: true });
await buildDashboard(`${root}dist/dashboard`);
await buildReference(`${root}dist/reference`);
await buildWords(`${root}dist/words`);
const restartOnBuild = {
  name: 'restart-on-build',
  setup: ({ onEnd }) =>
    onEnd(async ({ errors, metafile }) => {
      if (errors.length > 0) return;
      await buildHook(metafile);
      restart();
    }),
};
const building = await context({ ...daemonBuild, sourcemap: true, plugins: [restartOnBuild] });
await building.watch();

// The daemon reads the dashboard into memory on start, so it restarts for that too. Debounced, because editors write a file
// several times.
let timer;
watch(`${root}src/dashboard`, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    buildDashboard(`${root}dist/dashboard`).then(restart, (error) => console.error(error.message));
  }, 100);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await building.dispose();
    await stop();
    process.exit(0);
  });
}
