/** Joins words to a command line for POSIX shells and for Windows. PowerShell takes a quoted word for a string unless `&` calls it. */
export function commandLine(words: readonly string[], { powershell = false } = {}): string {
  const line = words.map(quote).join(' ');
  return powershell && line.startsWith('"') ? `& ${line}` : line;
}

/** Splits what `commandLine` joined. */
export function commandWords(line: string): string[] {
  const words = line.replace(/^& /, '').matchAll(/"((?:\\["$`]|[^"])*)"|\S+/g);
  return [...words].map(([word, quoted]) => quoted?.replaceAll(/\\(["$`])/g, '$1') ?? word);
}

function quote(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) && !word.includes('\\') ? word : `"${word.replaceAll(/["$`]/g, '\\$&')}"`;
}
