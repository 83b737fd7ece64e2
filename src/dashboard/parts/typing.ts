/** Whether keys are text for a field, or meant for an open dialog, and not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null;
}
