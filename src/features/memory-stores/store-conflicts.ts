import { AppError } from '../../contract/errors.ts';

/** Members of an error that Anthropic's SDK reads besides its message. Errors without them have those of their code. */
interface WireError {
  type: 'memory_precondition_failed_error' | 'memory_path_conflict_error';
  conflicting_path?: string;
  conflicting_memory_id?: string;
}

/** The error of a path that is taken, or lies above or below one that is. */
export function pathTaken({ id, path }: { id: string; path: string }): AppError {
  const error: WireError = {
    type: 'memory_path_conflict_error',
    conflicting_path: path,
    conflicting_memory_id: id,
  };
  const message = `The memory ${id} is at ${path}. Update it, or move or delete it first.`;
  return new AppError('conflict', message, { extra: { error } });
}

/** The error of a precondition that does not hold. */
export function preconditionFailed(): AppError {
  const error: WireError = { type: 'memory_precondition_failed_error' };
  const message = 'The memory has other content than content_sha256 says. Retrieve it and try again.';
  return new AppError('conflict', message, { extra: { error } });
}

/** The error of a change in an archived store. */
export function archived(): AppError {
  return new AppError('conflict', 'This memory store is archived. Its memories can be read and deleted only.');
}

/** The error for an id that no store of the account has. */
export function noStore(): AppError {
  return new AppError('not_found', 'There is no memory store with this id.');
}

/** The error for an id that no memory of the store has. */
export function noFile(): AppError {
  return new AppError('not_found', 'This memory store has no memory with this id.');
}
