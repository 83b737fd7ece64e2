import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../shell/icon.tsx';

/** Says why there is nothing to show, and what to do about it. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
