import { attemptSoon } from '@svc/page-kit';
import { Check, Copy } from 'lucide';
import encodeQR from 'qr';
import { useEffect, useMemo, useState } from 'react';
import { say } from '../text/index.ts';
import { Button } from './controls.tsx';
import { Labelled } from './field.tsx';
import { Notice } from './status.tsx';

export interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly help?: string;
  readonly isBlock?: boolean;
}

export function CopyField({ label, value, help, isBlock = false }: CopyFieldProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'by-hand'>('idle');
  const isCopied = state === 'copied';
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setState('idle'), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    const write = () => navigator.clipboard.writeText(value).then(() => 'copied' as const);
    void attemptSoon<'copied' | 'by-hand'>(write, 'by-hand').then(setState);
  };
  return (
    <Labelled label={label} help={state === 'by-hand' ? say('app.copy-by-hand') : help}>
      {({ id }) => (
        <div className="svcd-copy">
          {isBlock ? (
            <textarea
              id={id}
              className="svcd-input svcd-code"
              readOnly
              rows={Math.min(12, value.split('\n').length)}
              value={value}
            />
          ) : (
            <input id={id} className="svcd-input svcd-code" readOnly value={value} onFocus={(e) => e.target.select()} />
          )}
          <Button icon={isCopied ? Check : Copy} onPress={copy} text={say(isCopied ? 'app.copied' : 'app.copy')} />
          <span className="svc-visually-hidden" role="status">
            {isCopied ? say('app.copied') : ''}
          </span>
        </div>
      )}
    </Labelled>
  );
}

/** A warning where an address leads to the machine that opens it: a phone cannot use it. */
export const LocalOnly = ({ url }: { readonly url: string }) =>
  /^(localhost|127\.|\[::1\])/.test(new URL(url).host) && <Notice tone="warning" text={say('events.test-local')} />;

/** A QR code in black on white with its quiet zone. @param label what it is, for screen readers */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
    const cells = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
    return { path: cells.join(''), size: rows.length };
  }, [text]);
  return (
    <svg className="svcd-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
