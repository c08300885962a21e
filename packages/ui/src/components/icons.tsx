import type { ComponentChildren } from 'preact';

/** A sign in the colour and the size of its text, drawn with lines into 24 by 24. Beside words that say the same: hidden from screen readers. */
export function Icon({ children }: { readonly children: ComponentChildren }) {
  return (
    <svg
      class="svc-icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const CheckIcon = () => (
  <Icon>
    <path d="M5 12.5l4.5 4.5L19 7.5" />
  </Icon>
);

/** A ticket: the standard check-in. */
export const TicketIcon = () => (
  <Icon>
    <path d="M4 7h16v3.2a1.8 1.8 0 0 0 0 3.6V17H4v-3.2a1.8 1.8 0 0 0 0-3.6z" />
    <path d="M14 7.5v9" stroke-dasharray="1.6 2.4" />
  </Icon>
);

/** A person: staff. */
export const PersonIcon = () => (
  <Icon>
    <circle cx="12" cy="8" r="3.6" />
    <path d="M4.8 20c.7-4 3.6-6 7.2-6s6.5 2 7.2 6" />
  </Icon>
);
