import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { execa } from 'execa';

/** A certificate and its private key as files. */
export interface Certificate {
  certificateFile: string;
  keyFile: string;
  remove(): Promise<void>;
}

/**
 * Creates one with OpenSSL for names like `DNS:localhost` or `IP:127.0.0.1`; only `owner` can read the key. Without
 * `authority` it signs itself.
 */
export async function createCertificate(
  names: readonly string[],
  owner: { uid?: number; gid?: number } = {},
  authority?: Certificate,
): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-certificate-'));
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-keyout', keyFile];
  const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.join(',')}`];
  const signer = authority ? ['-CA', authority.certificateFile, '-CAkey', authority.keyFile] : [];
  await execa('openssl', ['req', '-x509', ...key, '-out', certificateFile, '-days', '2', ...subject, ...signer]);
  if (owner.uid !== undefined) {
    for (const path of [folder, certificateFile, keyFile]) await chown(path, owner.uid, owner.gid!);
  }
  return { certificateFile, keyFile, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Makes TLS connections of this process trust a certificate too, as `NODE_EXTRA_CA_CERTS` does for a new process. Returns
 * what undoes it.
 */
export function trust({ certificateFile }: Certificate): () => void {
  const create = tls.createSecureContext;
  const pem = readFileSync(certificateFile, 'utf8');
  tls.createSecureContext = (options) => create({ ...options, ca: [...tls.rootCertificates, pem] });
  return () => {
    tls.createSecureContext = create;
  };
}
