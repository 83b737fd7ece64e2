import { Type } from 'typebox';
import { AppError } from './errors.ts';

/** A name that groups memories, conversations and episodes of one user. Compared byte for byte. */
export const Project = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

/** Parameters of lists and searches that select by project. */
export const projectQuery = {
  project: Type.Optional(Type.String({ ...Project, description: 'Only what belongs to this project or to none' })),
  projectOnly: Type.Optional(Type.Boolean({ description: 'With project: only what belongs to it' })),
};

/** Selects what belongs to a project or to none; with `only`, what belongs to the project. */
export interface ProjectFilter {
  name: string;
  only: boolean;
}

/** Returns the filter of a request; `undefined` if it names no project. Throws `invalid_request`. */
export function projectFilterOf(
  { project, projectOnly = false }: { project?: string | undefined; projectOnly?: boolean | undefined },
  path: string,
): ProjectFilter | undefined {
  if (project !== undefined) return { name: project, only: projectOnly };
  if (!projectOnly) return undefined;
  const errors = [{ path: `${path}projectOnly`, message: 'requires project' }];
  throw new AppError('invalid_request', 'projectOnly requires project: name the project to restrict to.', { errors });
}
