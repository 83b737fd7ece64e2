/** Request to the child, one line of JSON on its standard input. */
export interface ChildRequest {
  /** Path of the keychain implementation. */
  implementation: string;
  action: 'get' | 'set' | 'delete' | 'probe';
  service: string;
  account: string;
  password?: string;
}

/** Response of the child, one line of JSON on its standard output. */
export type ChildAnswer = { value: string | boolean | null } | { reason: string };

/**
 * Source of the child process that accesses the keychain, run with `node -e`. It is a string so that the build needs no
 * extra file for it, and CommonJS because that starts fastest.
 *
 * `keytar` implements keytar's interface with the maintained library. That library's own keytar facade cannot select a
 * store, and on Linux falls back to the kernel keyring, which forgets everything at the end of the session; hence the
 * pinned store. When the parent is gone the child kills itself with a signal, the only exit that does not wait for a
 * hanging call.
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
