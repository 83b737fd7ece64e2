/** Days that the view can look back. */
export const PERIODS = [30, 90, 365] as const;
