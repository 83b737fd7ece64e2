import { AppError } from '../contract/errors.ts';

/** Path of sqlite-vec for this platform. Throws `unprocessable` if there is none. */
export async function vectorExtension(): Promise<string> {
  const { getLoadablePath } = await import('sqlite-vec');
  try {
    return getLoadablePath();
  } catch (error) {
    throw extensionFault(error as Error);
  }
}

/** The error for a machine where sqlite-vec cannot be loaded, in one line. */
export function extensionFault(error: Error): AppError {
  const [reason] = error.message.split('\n');
  const advice = 'Unset SVC_EMBEDDINGS, or run svc on a platform that sqlite-vec supports.';
  return new AppError(
    'unprocessable',
    `sqlite-vec, which vector search needs, cannot be loaded (${reason}). ${advice}`,
  );
}
