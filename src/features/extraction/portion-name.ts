import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Shown } from './shown-chunk.ts';

/** Which conversations the portions of a run are of, besides the user. */
export interface PortionScope {
  project?: string | undefined;
  afterMs: number;
}

/** What the name of a portion says. */
export interface PortionName {
  conversationId: string;
  lastOrdinal: number;
  digest: string;
  scope: PortionScope;
}

const NAME =
  /^(?<conversationId>conv_[0-9a-f]{32})\.(?<last>[0-9a-z]{1,11})\.(?<digest>[\w-]{12})\.(?<after>[0-9a-z]{1,11})(?:\.(?<project>[\w-]{1,1100}))?$/;
const RADIX = 36;

/**
 * Names what a model is shown, so that nothing is stored that was extracted from anything else, and says where the next portion
 * is to be looked for.
 */
export function portionNameOf({ conversation, chunk, known }: Shown, { project, afterMs }: PortionScope): string {
  return [
    conversation.id,
    chunk.lastOrdinal.toString(RADIX),
    digestOf({ chunk, known }),
    afterMs.toString(RADIX),
    ...(project === undefined ? [] : [Buffer.from(project).toString('base64url')]),
  ].join('.');
}

/** Identifies the messages and the versions of the known memories that a model is shown. */
export function digestOf({ chunk: { before, messages }, known }: Pick<Shown, 'chunk' | 'known'>): string {
  const versions = known.map(({ id, version }) => [id, version]);
  const digest = createHash('sha256')
    .update(JSON.stringify([before, messages, versions]))
    .digest('base64url');
  return digest.slice(0, 12);
}

/** Throws `invalid_request` for a malformed name. */
export function parsePortionName(name: string): PortionName {
  const { conversationId, last, digest, after, project } = NAME.exec(name)?.groups ?? {};
  if (conversationId === undefined) {
    const errors = [{ path: 'portion', message: 'is not the name of a portion' }];
    throw new AppError('invalid_request', 'portion is not the name of a portion: copy it as it was given.', { errors });
  }
  return {
    conversationId,
    lastOrdinal: Number.parseInt(last!, RADIX),
    digest: digest!,
    scope: {
      afterMs: Number.parseInt(after!, RADIX),
      ...(project !== undefined && { project: Buffer.from(project, 'base64url').toString() }),
    },
  };
}
