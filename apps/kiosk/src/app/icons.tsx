import { Icon } from '@svc/ui';

export const PeopleIcon = () => (
  <Icon>
    <circle cx="8.5" cy="8.5" r="3" />
    <circle cx="16.5" cy="9.5" r="2.5" />
    <path d="M2.5 19c.6-3.5 3-5.2 6-5.2s5.4 1.7 6 5.2M16 14.3c2.8 0 4.9 1.5 5.5 4.7" />
  </Icon>
);

/** Points to the left of the screen; turned by CSS for the right. Never mirrored with the script: it means a side of the room. */
export const ArrowIcon = () => (
  <Icon>
    <path d="M20 12H5M11 6l-6 6 6 6" />
  </Icon>
);

export const EyeIcon = () => (
  <Icon>
    <path d="M2.5 12S6 5.8 12 5.8 21.5 12 21.5 12 18 18.2 12 18.2 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="2.8" />
  </Icon>
);

export const DeviceIcon = () => (
  <Icon>
    <rect x="5.5" y="3" width="13" height="18" rx="2" />
    <path d="M10.5 17.8h3" />
  </Icon>
);
