/** Descriptions of arguments that several tools have. */
export const USER = 'Whose, if several people';
export const PROJECT = 'E.g. the repository, if it matters only there';
export const IN_PROJECT = 'Its memories and general ones';
export const ID = 'mem_… id';
export const TIME = 'RFC 3339 or a date';
