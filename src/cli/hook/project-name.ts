import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const MAX_CHARACTERS = 200;

/**
 * Names the project of a folder: host and path of the origin (`github.com/acme/tea`) in a git repository that has one,
 * otherwise the name of the folder that contains the repository, otherwise of the folder itself. Worktrees share the
 * repository's name. Reads git's files and starts no process.
 */
export async function projectName(folder: string): Promise<string | undefined> {
  const common = (await findGit(folder))?.common;
  const origin = common === undefined ? undefined : await originOf(common);
  const root = await projectRoot(folder);
  // The root of a file system has no name, and without a project hooks would recall from all.
  const name = origin ?? (basename(root) || root);
  // The rules of the API's `project`.
  const allowed = Array.from(name.replace(/[\u0000-\u001f\u007f]/g, ''))
    .slice(0, MAX_CHARACTERS)
    .join('');
  return allowed === '' ? undefined : allowed;
}

/** Returns the folder of the git repository that a folder is in, the same for its worktrees, or else the folder itself. */
export async function projectRoot(folder: string): Promise<string> {
  const common = (await findGit(folder))?.common;
  return common === undefined ? resolve(folder) : repositoryFolder(common);
}

/**
 * Returns the folder that identifies a project on this machine: that of the git repository, which worktrees share, otherwise
 * the folder itself. A folder that only claims to be a worktree of a repository, which does not know it, is its own project.
 */
export async function projectFolder(folder: string): Promise<string> {
  const git = await findGit(folder);
  if (git === undefined) return realFolder(resolve(folder));
  const { at, own, common } = git;
  const knows = own === undefined ? '' : (await readText(join(own, 'gitdir'))).trim();
  const isWorktree = knows !== '' && (await realFolder(resolve(own!, knows))) === (await realFolder(join(at, '.git')));
  return realFolder(isWorktree ? repositoryFolder(common) : at);
}

function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

interface FoundGit {
  /** The folder that contains `.git`. */
  at: string;
  /** Where a `.git` that is a file points to. */
  own?: string;
  /** The folder of the repository's data, which its worktrees share. */
  common: string;
}

/** Finds `.git` in a folder or above. */
async function findGit(folder: string): Promise<FoundGit | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.git');
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return { at, common: path };
    if (found?.isFile()) return followPointer(at, await readText(path));
    if (dirname(at) === at) return undefined;
  }
}

async function followPointer(at: string, pointer: string): Promise<FoundGit | undefined> {
  const target = /^gitdir:\s*(.+)$/m.exec(pointer)?.[1]?.trim();
  if (target === undefined) return undefined;
  const own = resolve(at, target);
  const common = (await readText(join(own, 'commondir'))).trim();
  return { at, own, common: common === '' ? own : resolve(own, common) };
}

function repositoryFolder(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common.replace(/\.git$/, '');
}

async function originOf(common: string): Promise<string | undefined> {
  return originIn(await readText(join(common, 'config')));
}

/** Returns the name of the remote `origin` in Git's configuration: see `originName`. Takes time linear in its length. */
export function originIn(config: string): string | undefined {
  const section = /^[ \t]*\[remote "origin"\]([^[]*)/m.exec(config)?.[1] ?? '';
  const url = /^[ \t]*url[ \t]*=[ \t]*(\S+)/m.exec(section)?.[1];
  return url === undefined ? undefined : originName(url);
}

/**
 * Returns host and path of a remote, which are the same however it is cloned; `undefined` for a local path.
 * `git@github.com:acme/tea.git` and `https://user:key@github.com/acme/tea` are both `github.com/acme/tea`.
 */
export function originName(url: string): string | undefined {
  const [, host, path] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^/@:]+@)?([^/:]{2,}):(?!\/\/)(.+)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  return `${host.toLowerCase()}/${path.replace(/^\/+|(\.git)?(?<!\/)\/*$/g, '')}`;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
