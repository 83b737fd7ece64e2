import type { ApiPromise, ChangeOptions, Client, PagePromise } from '../../client/client.ts';
import type { IdKind } from '../memory/find-id.ts';

/** Filters of a listing. */
export interface ItemQuery {
  limit: number;
  cursor?: string;
  user?: string;
  project?: string;
  conversationId?: string;
}

export interface TitledItem {
  id: string;
  title: string | null;
  /** How it begins. */
  preview?: string | null;
}

/** Name of an item: its title, or its first words. */
export function nameOf({ title, preview = null }: TitledItem): string | null {
  return title ?? preview;
}

/** A kind of item with a title, which has a listing and can be forgotten: conversations and episodes. */
export interface ItemKind<Item extends TitledItem> {
  id: IdKind;
  list(client: Client, query: ItemQuery): PagePromise<Item>;
  get(client: Client, id: string): ApiPromise<Item>;
  delete(client: Client, id: string, options?: ChangeOptions): ApiPromise<void>;
  /** Facts about an item besides its title, in a few words each. */
  facts(item: Item, nowMs: number): string[];
  /** The fields of a line for programs. */
  cells(item: Item): string[];
  /** How to get the first one. */
  emptyText: string;
  /** What is erased with an item. */
  forgetText: string;
}
