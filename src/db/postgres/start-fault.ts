import { AppError } from '../../contract/errors.ts';
import { certificateFault } from '../../lib/certificate-fault.ts';

const ADVICE: Record<string, string> = {
  '28P01': 'Check the user and the password.',
  '28000': 'Check the user, and what the server allows it (pg_hba.conf).',
  '3D000': 'Create the database first (CREATE DATABASE).',
  '42501': 'Make the user the owner of the database, so that it can create tables.',
};

/** Explains to an operator why a daemon cannot use the database at `url`; no more than the error itself if it is another. */
export function startFault(error: unknown, url: string): unknown {
  const { code = '', message, syscall, path } = error as NodeJS.ErrnoException;
  const { hostname, port, pathname } = new URL(url);
  const where = `PostgreSQL at ${hostname || 'the local socket'}${port && `:${port}`}${pathname}`;
  const refuse = (what: string, advice: string) =>
    new AppError('unavailable', `${where} ${what}. ${advice} (SVC_DATABASE_URL)`);
  if (code === '28000' && /no encryption/.test(message)) {
    return refuse('refuses connections without TLS', 'Remove sslmode=disable.');
  }
  if (ADVICE[code]) return refuse(`refuses svc (${code})`, ADVICE[code]);
  if (/does not support SSL/.test(message)) {
    return refuse('does not offer TLS', 'Turn it on there, or add ?sslmode=disable on a network that you trust.');
  }
  const certificate = certificateFault(error, '?sslrootcert=ca.pem');
  if (certificate) return refuse(certificate.what, certificate.advice);
  if (syscall === 'open') return refuse(`needs ${path}, which cannot be read (${code})`, 'Check the file.');
  if (/^E[A-Z_]+$/.test(code)) return refuse(`cannot be reached (${code})`, 'Check the address, and that it runs.');
  return error;
}
