import { Icon } from '@svc/ui';

export const LockIcon = () => (
  <Icon>
    <rect x="5" y="10.5" width="14" height="9.5" rx="2" />
    <path d="M8 10.5V8a4 4 0 0 1 8 0v2.5" />
  </Icon>
);

export const CameraIcon = () => (
  <Icon>
    <path d="M4 8.5h3.4L9 6h6l1.6 2.5H20a1 1 0 0 1 1 1V18a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V9.5a1 1 0 0 1 1-1z" />
    <circle cx="12" cy="13.4" r="3.4" />
  </Icon>
);

export const CameraOffIcon = () => (
  <Icon>
    <path d="M7.4 8.5H4a1 1 0 0 0-1 1V18a1 1 0 0 0 1 1h14M10.6 6H15l1.6 2.5H20a1 1 0 0 1 1 1v7.6M3.5 3.5l17 17" />
  </Icon>
);

export const SwitchCameraIcon = () => (
  <Icon>
    <path d="M4 11a8 8 0 0 1 14-4.2L20 9M20 4.5V9h-4.5M20 13a8 8 0 0 1-14 4.2L4 15M4 19.5V15h4.5" />
  </Icon>
);

export const PictureIcon = () => (
  <Icon>
    <rect x="3.5" y="5" width="17" height="14" rx="2" />
    <circle cx="9" cy="10" r="1.6" />
    <path d="M4 17l5-4 3.5 2.6L16 12l4.5 4" />
  </Icon>
);

export const PhoneIcon = () => (
  <Icon>
    <rect x="7" y="3" width="10" height="18" rx="2" />
    <path d="M11 17.8h2" />
  </Icon>
);

export const RetakeIcon = () => (
  <Icon>
    <path d="M5 12a7 7 0 1 0 2.2-5.1L4.5 9.5M4.5 4.8v4.7h4.7" />
  </Icon>
);

export const ClockIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8" />
    <path d="M12 7.5V12l3 2" />
  </Icon>
);
