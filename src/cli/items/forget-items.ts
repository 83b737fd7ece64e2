import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { wrap } from '../memory/terminal-text.ts';
import { forgetCommandOf } from './forget-command.ts';
import { type ItemKind, nameOf, type TitledItem } from './item-kind.ts';
import { titledCard } from './titled-card.ts';

/** The subcommand `forget` of items with a title. */
export function forgetItemsCommand<Item extends TitledItem>(context: CommandContext, kind: ItemKind<Item>): Command {
  const forgettable = {
    ...kind,
    show: (items: readonly Item[], labels: ReadonlyMap<string, string>, look: RenderOptions) => {
      const cards = items.map((item) =>
        titledCard({ label: labels.get(item.id)!, title: nameOf(item), facts: kind.facts(item, look.nowMs) }, look),
      );
      return `${cards.join('\n')}\n\n${wrap(kind.forgetText, look.columns).join('\n')}\n`;
    },
  };
  return forgetCommandOf(context, forgettable, helpOf(kind));
}

function helpOf<Item extends TitledItem>({ id, forgetText }: ItemKind<Item>): string {
  return `
${wrap(forgetText, 80).join('\n')}
Asks first; --yes skips the question and is required when input is not a terminal.

Examples:
  $ svc ${id.many} forget 5b7c90ae
  $ svc ${id.many} --user trial --all | cut -f1 | xargs svc ${id.many} forget --yes`;
}
