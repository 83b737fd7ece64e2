/** The folder that a source file's figures are added to: that of a feature, or the first below `src`. */
export function folderOf(path: string): string {
  return /^src\/(features\/[^/]+(?=\/)|[^/]+(?=\/))?/.exec(path)?.[1] ?? 'src';
}

/** Prints rows as a table with aligned columns. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  for (const row of cells) {
    console.log(
      row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[0]!))).join('  '),
    );
  }
}
