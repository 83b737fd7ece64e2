/** Outlines on a 24 × 24 grid, drawn for svc. */
const PATHS = {
  home: 'M4 11.5 12 4l8 7.5M6 10v10h4.5v-6h3v6H18V10',
  memory: 'M6 4h9l3 3v13H6zM9 9h6M9 13h6M9 17h3',
  review: 'M5 5h14v14H5zM8.500 12.500l2.500 2.500 4.500-6',
  topic: 'M10 4L8 20M16 4l-2 16M5 9h15M4 15h15',
  map: 'M6 7.5a1.8 1.8 0 1 0 0-.1M17 5.500a1.800 1.800 0 1 0 0-.1M12 14.500a1.800 1.800 0 1 0 0-.1M18.500 18.500a1.800 1.800 0 1 0 0-.1M7 8.500l3.700 4.700M16.300 7l-3.200 6M13.500 15.200l3.400 2.500M7.700 7l7.500-1.300',
  conversation: 'M4 5h16v11H10l-4.500 4v-4H4zM8 9h8M8 12h5',
  recall: 'M10.500 4.500a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15 15l5 5M8 10.500h5M10.500 8v5',
  learning: 'M4 19V5M4 19h16M7 15l4-4 3 2.500L20 7M20 7h-4M20 7v4',
  connect: 'M9 8V4M15 8V4M7 8h10v3.500a5 5 0 0 1-10 0zM12 16.500V21',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400zM9 14.800a2.200 2.200 0 1 0 0 4.400 2.200 2.200 0 0 0 0-4.400z',
  operator: 'M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01M11 8h6M11 16h6',
  search: 'M10.500 4.500a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15 15l5 5',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  right: 'M9 5l7 7-7 7',
  left: 'M15 5l-7 7 7 7',
  thumbUp:
    'M7 11v9H4v-9zM7 11l4-7c1.500 0 2.500 1 2.200 2.600L12.700 10H18c1.300 0 2.200 1.200 1.800 2.500l-1.700 6c-.2.900-1 1.500-1.900 1.500H7',
  thumbDown:
    'M7 13V4H4v9zM7 13l4 7c1.500 0 2.500-1 2.200-2.600L12.700 14H18c1.300 0 2.200-1.200 1.800-2.500l-1.700-6C17.900 4.600 17.100 4 16.200 4H7',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  download: 'M12 4v11M7 10.500l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9.500l5-5 5 5M5 20h14',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.500l3 2',
  user: 'M12 4.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM5 20c.5-3.800 3.200-5.800 7-5.800s6.500 2 7 5.800',
  spaces:
    'M9 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM3 19c.4-3.400 2.800-5 6-5s5.600 1.600 6 5M15.500 5.200a3 3 0 0 1 0 5.600M17 14.300c2.300.500 3.700 2 4 4.700',
  menu: 'M4 7h16M4 12h16M4 17h16',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  refresh: 'M19 8a8 8 0 1 0 1 6M20 4v5h-5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text, or within a button that has a label. Hidden from assistive technology. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
