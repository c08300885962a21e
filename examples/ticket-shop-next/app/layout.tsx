import type { ReactNode } from 'react';

export const metadata = { title: 'Riverside Hall', referrer: 'same-origin' };
/** Each answer has a nonce of its own. */
export const dynamic = 'force-dynamic';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
