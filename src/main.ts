import { runProcess } from './run-process.ts';
import { VERSION } from './version.ts';

await runProcess(async (terminal, stopSignal) => {
  const { runProgram } = await import('./cli/program.ts');
  return runProgram(process.argv.slice(2), VERSION, terminal, stopSignal);
});
