/** The sections of the settings, by the `section` parameter, with the scope that a role in a space needs to be offered each. */
export const SECTIONS = [
  { name: 'plan', title: 'Plan and usage', needs: 'memory:read' },
  { name: 'providers', title: 'Models and keys', needs: 'account' },
  { name: 'webhooks', title: 'Webhooks', needs: 'account' },
  { name: 'profile', title: 'Profile', needs: 'memory:read' },
  { name: 'import', title: 'Import', needs: 'memory' },
  { name: 'export', title: 'Export', needs: 'memory:read' },
  { name: 'erase', title: 'Erase', needs: 'memory' },
] as const;

export type SectionName = (typeof SECTIONS)[number]['name'];

/** Returns the section that a parameter names, or the first. */
export function sectionNamed(name: string | null, sections: readonly { name: SectionName }[] = SECTIONS): SectionName {
  return sections.find((section) => section.name === name)?.name ?? 'plan';
}
