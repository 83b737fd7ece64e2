import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type TcpRelay = Awaited<ReturnType<typeof startTcpRelay>>;

/** What the network does, in both directions. */
export interface NetworkFault {
  /** Latency of each direction. */
  delayMs?: number;
  /** Drops everything silently. TCP resends it once the network works again. */
  blackHole?: boolean;
  /** Resets new connections. */
  refuses?: boolean;
}

/** Starts a TCP relay to a port of 127.0.0.1, which can change, through which tests disturb the connections of a daemon. */
export async function startTcpRelay(firstTarget: number) {
  let targetPort = firstTarget;
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let fault: NetworkFault = {};
  const changes = new EventEmitter().setMaxListeners(0);

  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.setNoDelay(true).once('close', () => sockets.delete(socket));
  }

  /** Passes on data and ends in the order of their arrival. */
  function forward(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    const pass = (action: () => void) => {
      const dueAtMs = performance.now() + (fault.delayMs ?? 0);
      last = last.then(async () => {
        await sleepUntil(dueAtMs);
        while (fault.blackHole) await once(changes, 'fault');
        action();
      });
    };
    from.on('data', (chunk) => pass(() => to.write(chunk)));
    from.on('end', () => pass(() => to.end()));
    from.on('error', () => pass(() => to.resetAndDestroy()));
    from.on('close', () => pass(() => to.destroySoon()));
  }

  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  const server = createServer((near) => {
    track(near);
    clients.add(near);
    near.once('close', () => clients.delete(near));
    if (fault.refuses) return near.resetAndDestroy();
    const far = track(connect(targetPort, '127.0.0.1'));
    forward(near, far);
    forward(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    /** Replaces the fault of open and new connections; `{}` restores the network. */
    disturb(next: NetworkFault): void {
      fault = next;
      changes.emit('fault');
    },
    /** Leads new connections to another port, like an address that follows the primary. */
    leadTo(port: number): void {
      targetPort = port;
    },
    /** Open connections to the relay. */
    connections: () => clients.size,
    /** Resets every open connection. */
    cut,
    /** Resets every connection and stops listening. */
    async close(): Promise<void> {
      this.disturb({});
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function sleepUntil(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now();
  if (leftMs > 0) await sleep(leftMs);
}
