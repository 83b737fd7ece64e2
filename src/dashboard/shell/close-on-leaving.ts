/** Closes an open menu on Escape or a click on a link in it or elsewhere. Returns a function that stops it. */
export function closeOnLeaving(menu: HTMLDetailsElement): () => void {
  const onClick = ({ target }: MouseEvent) => {
    const isInside = target instanceof Element && menu.contains(target);
    if (menu.open && (!isInside || target.closest('a'))) menu.open = false;
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  };
  addEventListener('click', onClick);
  addEventListener('keydown', onKeyDown);
  return () => {
    removeEventListener('click', onClick);
    removeEventListener('keydown', onKeyDown);
  };
}
