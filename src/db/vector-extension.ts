import { AppError } from '../contract/errors.ts';

/** Path of sqlite-vec for this platform. Throws `unprocessable` where there is none. */
export async function vectorExtension(): Promise<string> {
  const { getLoadablePath } = await import('sqlite-vec');
  try {
    return getLoadablePath();
  } catch (error) {
    throw extensionFault(error as Error);
  }
}

/** Says in one line why there are no vectors here. */
export function extensionFault(error: Error): AppError {
  const [reason] = error.message.split('\n');
  const advice = 'Unset SVC_EMBEDDINGS, or run svc where sqlite-vec has a build.';
  return new AppError('unprocessable', `sqlite-vec, which vectors need, cannot be loaded here (${reason}). ${advice}`);
}
