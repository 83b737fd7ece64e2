import type { Client } from './client.ts';
import { TERMINAL_CLIENTS } from './terminal-clients.ts';
import { WINDOW_CLIENTS } from './window-clients.ts';

/** Every assistant that svc sets up. A new one is a new row in one of the two tables. */
export const CLIENTS: readonly Client[] = [...TERMINAL_CLIENTS, ...WINDOW_CLIENTS];

/** The client of that id or other name. */
export function findClient(name: string): Client | undefined {
  const wanted = name.toLowerCase();
  return CLIENTS.find(({ id, aliases = [] }) => id === wanted || aliases.includes(wanted));
}
