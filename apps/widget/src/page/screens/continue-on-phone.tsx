import { Button, Icon } from '@svc/ui';
import { Smartphone } from 'lucide';
import { useState } from 'preact/hooks';
import { usePage } from '../app/context.ts';

interface Code {
  /** An SVG path in modules, the quiet zone included. */
  readonly path: string;
  /** Modules along each side. */
  readonly size: number;
}

/** Modules around the code (ISO/IEC 18004 section 9.1). */
const QUIET_ZONE = 4;

/** Loads the QR code generator and draws a text. */
async function drawCode(text: string): Promise<Code> {
  const { default: encodeQR } = await import('qr');
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { path, size: rows.length };
}

/**
 * The guest link as a QR code, for guests at a computer without a camera. The link is a secret, so it is shown only on
 * request.
 */
export function ContinueOnPhone({ link }: { readonly link: string }) {
  const { say } = usePage();
  const [shown, setShown] = useState<Code | 'failed' | null>(null);
  const draw = () => drawCode(link).then(setShown, () => setShown('failed'));
  const isOpen = shown !== null && shown !== 'failed';
  return (
    <div class="phone">
      <Button kind="quiet" onPress={() => (isOpen ? setShown(null) : void draw())}>
        <Icon of={Smartphone} />
        <span>{say(isOpen ? 'phone.close' : 'phone.open')}</span>
      </Button>
      <div role="status">
        {shown === 'failed' ? <p>{say('phone.failed')}</p> : null}
        {isOpen ? (
          <div class="phone-code">
            <svg viewBox={`0 0 ${shown.size} ${shown.size}`} role="img" aria-label={say('phone.code')}>
              <path d={shown.path} />
            </svg>
            <p class="phone-explain">{say('phone.explain')}</p>
          </div>
        ) : null}
      </div>
    </div>
  );
}
