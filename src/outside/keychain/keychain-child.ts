/** What the child is asked, as one line of JSON on its standard input. */
export interface ChildRequest {
  /** The file of the keychain's implementation. */
  implementation: string;
  action: 'get' | 'set' | 'delete' | 'probe';
  service: string;
  account: string;
  password?: string;
}

/** What the child says, as one line of JSON on its standard output. */
export type ChildAnswer = { value: string | boolean | null } | { reason: string };

/**
 * The program of the child that speaks to the keychain, run with `node -e`. It is text, so that it needs no file of its
 * own in the build, and CommonJS, which starts fastest.
 *
 * `keytar` is keytar's interface on the maintained implementation. The latter's own facade for it cannot name a store,
 * and falls back on Linux to the kernel's keyring, which forgets at the end of the session: a key would be "kept" and
 * gone tomorrow. Hence the pin. Where the parent is gone, the child ends by a signal, the only end that does not wait
 * for a call that hangs.
 */
export const CHILD_PROGRAM = `
'use strict';
const { createInterface } = require('node:readline');
const lines = createInterface({ input: process.stdin });
lines.on('close', () => process.kill(process.pid, 'SIGKILL'));
lines.once('line', async (line) => {
  const { implementation, action, service, account, password } = JSON.parse(line);
  const reply = (answer) => process.stdout.write(JSON.stringify(answer) + '\\n');
  try {
    const { AsyncEntry } = require(implementation);
    const entry = (service, account) => new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
    const keytar = {
      getPassword: async (service, account) => (await entry(service, account).getPassword()) ?? null,
      setPassword: (service, account, password) => entry(service, account).setPassword(password),
      deletePassword: (service, account) => entry(service, account).deletePassword(),
    };
    const storeVerified = async () => {
      await keytar.setPassword(service, account, password);
      return (await keytar.getPassword(service, account)) === password;
    };
    const actions = {
      get: () => keytar.getPassword(service, account),
      set: storeVerified,
      delete: () => keytar.deletePassword(service, account),
      probe: async () => (await storeVerified()) && (await keytar.deletePassword(service, account)),
    };
    reply({ value: await actions[action]() });
  } catch (error) {
    reply({ reason: String(error && error.message) });
  }
});
`;
