/** Opens and closes the contents on narrow screens. */
export function addMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('#menu')!;
  const contents = document.querySelector<HTMLElement>('#contents')!;
  const show = (isOpen: boolean) => {
    contents.classList.toggle('open', isOpen);
    button.ariaExpanded = String(isOpen);
    button.textContent = isOpen ? 'Close' : 'Menu';
  };
  button.addEventListener('click', () => show(button.ariaExpanded !== 'true'));
  contents.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a')) show(false);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.ariaExpanded !== 'true') return;
    show(false);
    button.focus();
  });
  document.addEventListener('open-contents', () => show(true));
}
