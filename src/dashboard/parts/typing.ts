/** Whether keys are text for a field, or meant for an open dialog, and not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  const fields = 'input:not([type=checkbox]), textarea, select, [contenteditable], dialog';
  return target instanceof Element && target.closest(fields) !== null;
}
