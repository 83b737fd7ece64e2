import type { ComponentChildren } from 'preact';
import type { Resource } from '../resource.ts';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';

interface LoadedProps<T> {
  resource: Resource<T>;
  label?: string;
  rows?: number;
  children(value: T): ComponentChildren;
}

/** Shows a resource's value, or that it is loading, or why it failed. A failed reload keeps the value below the error. */
export function Loaded<T>({ resource, label, rows, children }: LoadedProps<T>) {
  const { value, error, isLoading } = resource.state.value;
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={resource.reload} />}
      {value !== undefined && children(value)}
      {value === undefined && isLoading && <Loading {...(label && { label })} {...(rows && { rows })} />}
    </>
  );
}
