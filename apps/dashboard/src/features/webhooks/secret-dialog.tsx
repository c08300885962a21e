import { useFormat, useSay } from '../../app/language.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { OutsideLink } from '../../components/link.tsx';
import { Notice } from '../../components/notice.tsx';

export interface SecretDialogProps {
  readonly secret: string;
  /** Until when the former secret signs as well; null for a new webhook. */
  readonly formerUntil?: string | null;
  readonly onClose: () => void;
}

/** The secret with which a webhook signs, shown once. */
export function SecretDialog({ secret, formerUntil = null, onClose }: SecretDialogProps) {
  const say = useSay();
  const format = useFormat();
  return (
    <Dialog isOpen isKept onClose={onClose} title={say('webhooks.secret')} cancelLabel={say('webhooks.secret-kept')}>
      <CopyField label={say('webhooks.secret')} help={say('webhooks.secret-help')} value={secret} />
      <Notice tone="warning">{say('webhooks.secret-once')}</Notice>
      {formerUntil !== null && <p>{say('webhooks.secret-former', { until: format.dateTime(formerUntil) })}</p>}
      <p>
        <OutsideLink href="https://www.standardwebhooks.com/">{say('webhooks.scheme')}</OutsideLink>
      </p>
    </Dialog>
  );
}
