import type { ReactNode } from 'react';

export const metadata = { title: 'Riverside Hall', referrer: 'same-origin' };
/** Every response needs its own nonce. */
export const dynamic = 'force-dynamic';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
