import { credentialIn } from './credential-in.ts';

declare global {
  /** Hands the credential that the address contained to the app, once. */
  var takeCredential: () => ReturnType<typeof credentialIn>;
}

let found = credentialIn(location.hash);
// Replaces the history entry too, so that the credential cannot be seen, copied or bookmarked.
if (found) history.replaceState(null, '', location.pathname + location.search);

globalThis.takeCredential = () => {
  const taken = found;
  found = undefined;
  return taken;
};
