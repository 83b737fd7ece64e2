/** Lets the browser save a file under a name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the address by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
