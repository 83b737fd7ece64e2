import { execa } from 'execa';
import { root } from './build-options.mjs';

// Types and lint are checked while the tests run, which leave processors idle. The tests are stopped if a check fails.
const options = { cwd: root, preferLocal: true, reject: false };
const tests = execa('vitest', ['run', ...process.argv.slice(2)], { ...options, stdio: 'inherit' });
const check = await execa('npm', ['run', '--silent', 'check'], { ...options, all: true });
if (check.exitCode !== 0) {
  console.error(check.all);
  tests.kill('SIGINT');
}
const { exitCode } = await tests;
process.exitCode = check.exitCode || (exitCode ?? 1);
