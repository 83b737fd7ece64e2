/** The sections of the settings, by the `section` parameter. */
export const SECTIONS = [
  { name: 'plan', title: 'Plan and usage' },
  { name: 'providers', title: 'Models and keys' },
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'profile', title: 'Profile' },
  { name: 'import', title: 'Import' },
  { name: 'export', title: 'Export' },
  { name: 'erase', title: 'Erase' },
] as const;

export type SectionName = (typeof SECTIONS)[number]['name'];

/** Returns the section that a parameter names, or the first. */
export function sectionNamed(name: string | null): SectionName {
  return SECTIONS.find((section) => section.name === name)?.name ?? 'plan';
}
