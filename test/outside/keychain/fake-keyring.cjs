// Replaces the native keyring: stores entries in a file, and records in another the process of each call; some account
// names trigger failures.
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');

const path = process.env.FAKE_KEYRING;
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const record = (account) => {
  const { pid, argv, execArgv, env } = process;
  appendFileSync(`${path}.calls`, `${JSON.stringify({ account, pid, words: [...argv, ...execArgv], env })}\n`);
};
const DISMISSED = "Couldn't access platform storage: Secret Service: unlock prompt was dismissed";

exports.AsyncEntry = class {
  constructor(service, account, options) {
    if (options?.linux?.store !== 'secret-service') throw new Error('not pinned to a store that lasts');
    record(account);
    if (account === 'dismissed') throw new Error(DISMISSED);
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
