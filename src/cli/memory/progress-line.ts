import type { CommandContext } from '../command-context.ts';
import { fractionalBar } from './signal-bars.ts';
import { truncate } from './terminal-text.ts';

/** A line on standard error that is redrawn while the work continues. */
export interface ProgressLine {
  /** `share` is the fraction done, 0 to 1, if known. */
  show(text: string, share?: number): void;
  /** Erases the line. */
  clear(): void;
}

const REDRAW_MS = 80;
const BAR_WIDTH = 20;

/** Draws only if standard error is a terminal and the output is not JSON. */
export function createProgressLine(
  { terminal, clock }: Pick<CommandContext, 'terminal' | 'clock'>,
  { json }: { json?: true },
): ProgressLine {
  if (!terminal.errorIsTty || json) return { show() {}, clear() {} };
  let drawnMs: number | undefined;
  return {
    show(text, share) {
      const nowMs = clock.monotonicMs();
      if (drawnMs !== undefined && nowMs - drawnMs < REDRAW_MS) return;
      drawnMs = nowMs;
      const shareText =
        share === undefined ? '' : `${fractionalBar(share, BAR_WIDTH).padEnd(BAR_WIDTH, '░')} ${percent(share)} `;
      terminal.error(`\r\u001b[K${truncate(shareText + text, Math.max(10, terminal.columns - 1))}`);
    },
    clear() {
      if (drawnMs !== undefined) terminal.error('\r\u001b[K');
      drawnMs = undefined;
    },
  };
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`.padStart(5);
}
