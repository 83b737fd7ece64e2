import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Optional features of a model server. */
export interface Capabilities {
  /** Supports streaming. */
  streams: boolean;
  /** Enforces a JSON schema; otherwise the schema goes into the prompt. */
  schemaEnforced: boolean;
}

const MAX_REMEMBERED = 1000;

/** Remembers which servers lack which capabilities, so that only the first request pays for finding out. */
export interface KnownCapabilities {
  of(base: string, model: string): Capabilities;
  remember(base: string, model: string, capabilities: Capabilities): void;
}

export function createKnownCapabilities(): KnownCapabilities {
  // Bounded, because tenants choose the addresses.
  const withoutStream = createBoundedMap<string, true>(MAX_REMEMBERED);
  const withoutSchema = createBoundedMap<string, true>(MAX_REMEMBERED);
  const modelKey = (base: string, model: string) => `${base} ${model}`;
  return {
    of: (base, model) => ({
      streams: !withoutStream.get(base),
      schemaEnforced: !withoutSchema.get(modelKey(base, model)),
    }),
    remember(base, model, { streams, schemaEnforced }) {
      if (!streams) withoutStream.set(base, true);
      if (!schemaEnforced) withoutSchema.set(modelKey(base, model), true);
    },
  };
}
