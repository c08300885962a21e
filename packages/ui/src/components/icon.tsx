import type { IconNode } from 'lucide';
import { h } from 'preact';

/** One of Lucide's icons in the colour and the size of its text. Beside words that say the same: hidden from screen readers. */
export function Icon({ of }: { readonly of: IconNode }) {
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
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
