import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's space for new objects at its first size while the daemon loads: modules that stay would double it up to 32 MiB,
 * and V8 does not give that back to an idle process.
 */
export function keepNewSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets it grow with the load, at V8's default rate: requests would be promoted to the old space otherwise. */
export function letNewSpaceGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
