/** Descriptions of arguments that several tools have. */
export const USER = 'Whose, if several people';
export const PROJECT = 'E.g. the repository, if it matters only there';
export const IN_PROJECT = 'Its memories and general ones';
export const ID = 'mem_… id';
export const TIME = 'RFC 3339 or a date';
/** Searches go by words, and who asks knows others. */
export const WORDINGS =
  '3 to 5 short texts as the user may have told it, in words that the query lacks; also in their other languages';
