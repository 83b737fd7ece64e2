/** A prompt up to this length has no pasted text worth telling apart. */
const MAX_WHOLE_CHARACTERS = 400;
/** Lines that say what went wrong; of a pasted log, they are what an earlier session may have solved. */
const FAULT =
  /\b(?:error|exception|fatal|failed|failure|cannot|can't|denied|refused|not found|panic|undefined)\b|\bE[A-Z]{4,}\b/i;
const MAX_FAULT_LINES = 3;
/** Lines that nobody types: parts of a trace, a log, a diff or a table, and code. */
const PASTED =
  /^\s*(?:at \S+ ?\(|File "|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|[-+]{1,3} ?\S|@@ |[|>$#] |\{|\}|<\/?\w)|[;{]\s*$|^\s*(?:import|from|const|let|var|def|class|return|function|public|private|SELECT|INSERT)\b.*[=;({:]/;
/** Blocks of code. */
export const FENCED = /^(?:```|~~~)[\s\S]*?(?:^(?:```|~~~)|$(?![\s\S]))/gm;

/** Returns the part of a long prompt that says what it is about: what was typed, and the errors of what was pasted. */
export function promptSubject(prompt: string): string {
  if (prompt.length <= MAX_WHOLE_CHARACTERS) return prompt;
  const pasted: string[] = [];
  const unfenced = prompt.replace(FENCED, (block) => {
    pasted.push(...block.split('\n'));
    return '';
  });
  const typed: string[] = [];
  for (const line of unfenced.split('\n')) (isPastedLine(line) ? pasted : typed).push(line);
  const faults = pasted.filter((line) => FAULT.test(line)).slice(0, MAX_FAULT_LINES);
  const subject = [...typed, ...faults].join('\n').trim();
  return subject === '' ? prompt : subject;
}

/** Whether a line is one that nobody types. */
export function isPastedLine(line: string): boolean {
  return PASTED.test(line);
}
