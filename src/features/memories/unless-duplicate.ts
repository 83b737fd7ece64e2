import { AppError } from '../../contract/errors.ts';

/** Returns `undefined` if a change was refused because another memory has the content already. */
export function unlessDuplicate<T>(change: Promise<T>): Promise<T | undefined> {
  return change.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'conflict') return undefined;
    throw error;
  });
}
