/**
 * Describes, for use within a sentence, what is wrong with a server's certificate and how to fix it. `authority` names
 * the setting for a private authority. Returns `undefined` for any other error.
 */
export function certificateFault(error: unknown, authority: string): { what: string; advice: string } | undefined {
  const { code = '' } = error as { code?: string };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { what: 'has a certificate for another name', advice: 'Use an address that its certificate names.' };
  }
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return { what: `has a certificate that is not valid now (${code})`, advice: 'Renew it, or set the clock.' };
  }
  if (!/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code)) return undefined;
  return { what: `has a certificate that cannot be checked (${code})`, advice: `Name its authority: ${authority}.` };
}
