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
  const withoutStream = new Set<string>();
  const withoutSchema = new Set<string>();
  const modelKey = (base: string, model: string) => `${base} ${model}`;
  return {
    of: (base, model) => ({
      streams: !withoutStream.has(base),
      schemaEnforced: !withoutSchema.has(modelKey(base, model)),
    }),
    remember(base, model, { streams, schemaEnforced }) {
      if (!streams) addBounded(withoutStream, base);
      if (!schemaEnforced) addBounded(withoutSchema, modelKey(base, model));
    },
  };
}

/** Evicts the oldest entry of a full set: tenants choose the addresses, so the set must stay bounded. */
function addBounded(set: Set<string>, entry: string): void {
  set.add(entry);
  if (set.size > MAX_REMEMBERED) set.delete(set.values().next().value!);
}
