import { effect, signal } from '@preact/signals';

export type Density = 'dense' | 'comfortable';
export type Theme = 'system' | 'light' | 'dark';

/** Preferences of this browser. They contain nothing about the account. */
export const density = signal<Density>(stored('svc.density') === 'comfortable' ? 'comfortable' : 'dense');
export const theme = signal<Theme>(
  (['light', 'dark'] as const).find((name) => name === stored('svc.theme')) ?? 'system',
);

/** Applies the preferences to the page now and whenever they change. */
export function applyPreferences(): void {
  effect(() => {
    document.documentElement.dataset.density = density.value;
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    store('svc.density', density.value);
    store('svc.theme', theme.value);
  });
}

/** Storage is refused in some private windows: preferences then last as long as the page. */
function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}
