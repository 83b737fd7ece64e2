import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../shell/icon.tsx';

interface SidePaneProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  onClose(): void;
  children: ComponentChildren;
}

/** Details of what is selected: beside the list on wide screens, above it on narrow ones. Escape closes it. */
export function SidePane({ title, actions, onClose, children }: SidePaneProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || (event.target instanceof Element && event.target.closest('dialog'))) return;
      onClose();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <aside class="side-pane" aria-labelledby="side-pane-title">
      <div class="side-pane-head">
        <h2 id="side-pane-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <div class="side-pane-actions">
          {actions}
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
      </div>
      <div class="side-pane-body">{children}</div>
    </aside>
  );
}
