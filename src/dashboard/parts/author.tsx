/** The member of a space who wrote something; nothing in the own account, where nobody else writes. */
export function Author({ of: address, before = 'by ' }: { of: string | null | undefined; before?: string }) {
  if (!address) return null;
  return (
    <span class="author" title={`Written by ${address}`}>
      {before}
      {address}
    </span>
  );
}
