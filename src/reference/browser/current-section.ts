/** Marks the section being read in the contents. */
export function followScroll(): void {
  const links = new Map<string, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) links.set(link.hash.slice(1), link);
  const visible = new Set<Element>();
  const sections = [...document.querySelectorAll('.endpoint, .introduction section')];
  let current: HTMLAnchorElement | undefined;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target);
        else visible.delete(target);
      }
      const section = sections.find((one) => visible.has(one));
      const link = section && links.get(section.id || (section.getAttribute('aria-labelledby') ?? ''));
      if (!link || link === current) return;
      current?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'location');
      current = link;
      reveal(link);
    },
    { rootMargin: '-15% 0px -70%' },
  );
  for (const section of sections) observer.observe(section);
}

/** Scrolls the contents, but not the page, so that a link is visible. */
function reveal(link: HTMLElement): void {
  const contents = link.closest<HTMLElement>('.contents')!;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = contents.getBoundingClientRect();
  if (top < frame.top + 60 || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3;
}
