type Child = Node | string;

/**
 * Creates an element. Strings become text nodes, so that memory content can never become markup. Pass only trusted
 * values as attributes.
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

/** Returns the element with this id. Throws if it is missing from dashboard.html. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element "${id}"`);
  return node as T;
}

/** Creates a button that does not submit a form. */
export function button(text: string, className: string, onPress: () => void): HTMLButtonElement {
  const node = element('button', { type: 'button', class: className }, text);
  node.addEventListener('click', onPress);
  return node;
}
