import type { ProviderKey } from './api.ts';
import { button, element } from './dom.ts';
import { formatCount, timeElement } from './format.ts';

/** Actions on a listed key. */
export interface KeyActions {
  onCheck(key: ProviderKey): void;
  onRemove(key: ProviderKey): void;
}

const TONES = { valid: 'is-good', unverified: '', refused: 'is-bad' } as const;

/** `the key …cdef`, or `the key` if its last characters are not known. */
export function keyLabel({ last4 }: ProviderKey): string {
  return last4 === null ? 'the key' : `the key …${last4}`;
}

/** Renders a provider key: last characters, status, and the result of its last check if it failed. */
export function providerKeyItem(key: ProviderKey, { onCheck, onRemove }: KeyActions): HTMLLIElement {
  const { provider, last4, status, check } = key;
  const name = element('span', { class: 'provider-name' }, [
    element('strong', {}, provider),
    ...(last4 === null ? [] : [element('code', {}, `…${last4}`)]),
    element('span', { class: `badge ${TONES[status]}`.trim() }, status),
  ]);
  const actions = element('span', { class: 'provider-actions' }, [
    withLabel(
      button('Check', 'link', () => onCheck(key)),
      `Check the key for ${provider}`,
    ),
    withLabel(
      button('Remove', 'link danger', () => onRemove(key)),
      `Remove the key for ${provider}`,
    ),
  ]);
  const item = element('li', { class: 'provider' }, element('div', { class: 'provider-head' }, [name, actions]));
  item.append(element('p', { class: 'hint' }, factsOf(key)));
  if (check.outcome !== 'ok') {
    item.append(element('p', { class: 'caution' }, ['Checked ', timeElement(check.at), `: ${check.message}`]));
  }
  return item;
}

function withLabel(node: HTMLElement, label: string): HTMLElement {
  node.setAttribute('aria-label', label);
  return node;
}

function factsOf({ models, validatedAt, baseUrl }: ProviderKey): (Node | string)[] {
  const modelCount = models.length === 0 ? 'Models unknown' : formatCount(models.length, 'model', 'models');
  const verified = validatedAt === null ? ['not verified yet'] : ['verified ', timeElement(validatedAt)];
  return [modelCount, ' · ', ...verified, ...(baseUrl === null ? [] : [` · at ${baseUrl}`])];
}
