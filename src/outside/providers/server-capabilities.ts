/** How a server wants to be asked. */
export interface Capabilities {
  /** Piece by piece. */
  streams: boolean;
  /** The schema goes where the provider wants it; otherwise into the prompt. */
  schemaEnforced: boolean;
}

const MAX_REMEMBERED = 1000;

/** What servers have shown not to do, so that finding it out costs one request and not every one. */
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

/** The oldest goes where there are too many: addresses are whatever tenants think of. */
function addBounded(set: Set<string>, entry: string): void {
  set.add(entry);
  if (set.size > MAX_REMEMBERED) set.delete(set.values().next().value!);
}
