import { runHookLine } from './cli/hook/hook-line.ts';
import { runProcess } from './run-process.ts';

/**
 * The program of `svc hook` alone, in one file of CommonJS. Hooks run at every prompt, and to load the commands and their
 * parser, or forty ES modules, takes Node longer than the hook itself.
 */
void runProcess((terminal, stopSignal) => runHookLine(process.argv.slice(3), terminal, stopSignal));
