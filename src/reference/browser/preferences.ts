/** The theme that was chosen in the web app. */
export const THEME = 'svc.theme';
/** The kind of sample that was chosen last. */
export const SAMPLE = 'svc.sample';

/** Reads a preference of this browser. Storage is refused in some private windows: then there is none. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a preference, if storage is allowed. */
export function storePreference(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}
