import type { Connection } from '../../../client/client.ts';

/** Groups the sessions of one browser, except the current one, which stands alone like every device and assistant. */
export function connectionLines(connections: readonly Connection[]): [Connection, ...Connection[]][] {
  const lines: [Connection, ...Connection[]][] = [];
  const browsers = new Map<string, Connection[]>();
  for (const connection of connections) {
    const isGrouped = connection.kind === 'page' && !connection.current;
    const line = isGrouped ? browsers.get(connection.client) : undefined;
    if (line) line.push(connection);
    else {
      const added: [Connection] = [connection];
      lines.push(added);
      if (isGrouped) browsers.set(connection.client, added);
    }
  }
  return lines;
}
