import { signal } from '@preact/signals';
import { ApiError } from '../../client/client.ts';
import { createTransport, type Transport } from '../../client/transport.ts';
import type { OperatorSession } from '../../contract/operator.ts';
import { watched } from '../daemon-state.ts';
import { describeError } from '../errors.ts';
import { patient } from '../rate-limit.ts';
import { pageFetch } from '../upload-fetch.ts';

const ORIGIN = { baseUrl: location.origin, fetch: patient(pageFetch) };
const PATH = '/v1/operator/session';

/** Sends calls in the operator's session; undefined without one. */
export const operatorTransport = signal<Transport | undefined>(undefined);

/** Why the operator's session could not be opened, or has ended. */
export const operatorMessage = signal<string | undefined>(undefined);

/** Opens the operator's session by a ticket of `svc admin open`, or else the one that this browser already has. */
export async function openOperator(ticket: string | undefined): Promise<void> {
  const { send } = createTransport(ORIGIN);
  try {
    const { csrf } = await (ticket === undefined
      ? send<OperatorSession>('GET', PATH)
      : send<OperatorSession>('POST', PATH, { ticket }));
    operatorTransport.value = createTransport({
      ...ORIGIN,
      headers: { 'x-svc-csrf': csrf },
      fetch: patient(watched(pageFetch)),
    });
  } catch (error) {
    const isExpected = ticket === undefined && error instanceof ApiError && [401, 404].includes(error.status);
    if (!isExpected) operatorMessage.value = describeError(error);
  }
}

/** Ends the operator's session, here and in the daemon. */
export async function closeOperator(): Promise<void> {
  try {
    await operatorTransport.peek()?.send('DELETE', PATH);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  location.replace('/dashboard/operator');
}

/** The operator's session has ended. The view says so instead of what it loads. */
export class OperatorEnded extends Error {}

/** Runs a call of the operator's session. Throws `OperatorEnded`, and forgets the session, if it is over. */
export async function asOperator<T>(call: (transport: Transport) => PromiseLike<T>): Promise<T> {
  const transport = operatorTransport.peek();
  if (!transport) throw new OperatorEnded();
  try {
    return await call(transport);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    operatorTransport.value = undefined;
    operatorMessage.value = error.detail;
    throw new OperatorEnded();
  }
}
