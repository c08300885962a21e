'use client';
import { useRouter } from 'next/navigation';
import Script from 'next/script';
import { useEffect, useRef } from 'react';

export function Widget({ token, script }: { token: string; script: string }) {
  const router = useRouter();
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = container;
    const refresh = () => router.refresh();
    current?.addEventListener('svc:enrolled', refresh);
    return () => current?.removeEventListener('svc:enrolled', refresh);
  }, [router]);
  return (
    <>
      <div ref={container} data-svc-token={token} />
      <Script src={script} />
    </>
  );
}
