type Child = Node | string;

/**
 * Makes an element. Text reaches the page as text nodes only, so that nothing a memory contains can become markup;
 * attributes are for values that the page itself chose.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  children: Child | Child[] = [],
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...(Array.isArray(children) ? children : [children]));
  return node;
}

/** The element of the page's own markup with this id; a missing one is a fault of the build, not of the visitor. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element "${id}"`);
  return node as T;
}

/** A button that is not part of a form. */
export function button(text: string, className: string, onPress: () => void): HTMLButtonElement {
  const node = element('button', { type: 'button', class: className }, text);
  node.addEventListener('click', onPress);
  return node;
}
