// Replaces the native keyring: stores entries in a file; some account names trigger failures.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

const path = process.env.FAKE_KEYRING;
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const REASONS = {
  dismissed: "Couldn't access platform storage: Secret Service: unlock prompt was dismissed",
  locked: 'zbus error: org.freedesktop.Secret.Error.IsLocked: Cannot get secret of a locked object',
  denied: "Couldn't access platform storage: AccessDenied",
  nobus: 'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time',
  nokeyring: "Couldn't access platform storage: Secret Service: no result found",
  strange: 'Platform failure: 42',
};

exports.AsyncEntry = class {
  constructor(service, account, options) {
    if (options?.linux?.store !== 'secret-service') throw new Error('not pinned to a store that lasts');
    if (REASONS[account]) throw new Error(REASONS[account]);
    this.name = `${service}|${account}`;
    this.account = account;
  }
  async getPassword() {
    if (this.account === 'forgets') return null;
    return read()[this.name] ?? null;
  }
  async setPassword(password) {
    // Blocks the thread forever, like a prompt that nobody answers.
    if (this.account === 'hangs') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (this.account === 'leaks') throw new Error(`Platform failure: cannot store ${password}`);
    writeFileSync(path, JSON.stringify({ ...read(), [this.name]: password }));
  }
  async deletePassword() {
    const { [this.name]: found, ...rest } = read();
    writeFileSync(path, JSON.stringify(rest));
    return found !== undefined;
  }
};
