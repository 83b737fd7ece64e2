/** Whether keys are text for a field, or meant for an open dialog, and not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  const fields = 'input:not([type=checkbox]), textarea, select, [contenteditable], dialog';
  return target instanceof Element && target.closest(fields) !== null;
}

/** Listeners of a field whose text is used while it is typed: an input method's unfinished composition is no text yet. */
export function whileTyping(use: (text: string) => void) {
  return {
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => {
      if (!event.isComposing) use(event.currentTarget.value);
    },
    // The last input of a composition still counts as composing.
    onCompositionEnd: (event: CompositionEvent & { currentTarget: HTMLInputElement }) => use(event.currentTarget.value),
  };
}

/** Keeps the keys of an input method, such as Enter for a candidate, from all that listens. Returns how to stop that. */
export function leaveKeysToInputMethods(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === SAFARI_COMPOSING) event.stopImmediatePropagation();
  };
  addEventListener('keydown', onKeyDown, { capture: true });
  return () => removeEventListener('keydown', onKeyDown, { capture: true });
}

/** Safari ends a composition before it reports the key that ended it. */
const SAFARI_COMPOSING = 229;
