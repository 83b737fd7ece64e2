import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type ParsedMail, parseMail } from './mailbox.ts';

interface DeliveredMail extends Omit<ParsedMail, 'to'> {
  /** The envelope recipients, who actually receive it. */
  to: string[];
}

/** The step at which a mail is refused; `reply` accepts it but reports a failure, like a connection lost at the end. */
type RefusalStep = 'recipient' | 'reply';

export interface TestSmtpServer {
  url: string;
  /** In order of arrival. */
  mails: DeliveredMail[];
  /** How often a sender reached the recipient step. */
  attempts(): number;
  /** Rejects the next `count` attempts with this code. */
  failNext(count: number, code: number, step?: RefusalStep): void;
  stop(): Promise<void>;
  /** Listens again on the same port. */
  restart(): Promise<void>;
}

interface State {
  mails: DeliveredMail[];
  attempts: number;
  refusal: { left: number; code: number; step: RefusalStep };
}

/** Starts a real SMTP server on loopback, without TLS or login. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const state: State = { mails: [], attempts: 0, refusal: { left: 0, code: 0, step: 'recipient' } };
  let server = await listen(state, 0);
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails: state.mails,
    attempts: () => state.attempts,
    failNext(count, code, step = 'recipient') {
      state.refusal = { left: count, code, step };
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
    async restart() {
      server = await listen(state, port);
    },
  };
}

function listen(state: State, port: number): Promise<SMTPServer> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    closeTimeout: 20,
    onRcptTo(_address, _session, callback) {
      state.attempts += 1;
      callback(refusalAt(state, 'recipient'));
    },
    onData(stream, session, callback) {
      readMail(stream, session).then((mail) => {
        state.mails.push(mail);
        callback(refusalAt(state, 'reply'));
      }, callback);
    },
  });
  // Ignore clients that disconnect.
  server.on('error', () => {});
  return new Promise((resolve, reject) => {
    const socket = server.listen(port, '127.0.0.1', () => resolve(server));
    socket.once('error', reject);
  });
}

function refusalAt({ refusal }: State, step: RefusalStep): Error | undefined {
  if (refusal.left === 0 || refusal.step !== step) return undefined;
  refusal.left -= 1;
  return Object.assign(new Error('Refused by the test'), { responseCode: refusal.code });
}

async function readMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<DeliveredMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const mail = parseMail(Buffer.concat(chunks).toString('utf8'));
  return { ...mail, to: session.envelope.rcptTo.map(({ address }) => address) };
}
