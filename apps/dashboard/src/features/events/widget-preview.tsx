import type { SetWidgetSettingsRequest } from '@svc/protocol';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/hooks.ts';
import { useSay } from '../../app/language.tsx';
import { OutsideLink } from '../../components/link.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';

const WAIT_MS = 700;

/** The widget as guests would see it with these settings; what they see stays as it is. */
export function WidgetPreview({
  eventId,
  settings,
}: {
  readonly eventId: string;
  readonly settings: SetWidgetSettingsRequest;
}) {
  const say = useSay();
  const api = useApi();
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const body = JSON.stringify(settings);
  const isFirst = useRef(true);
  useEffect(() => {
    let isCurrent = true;
    const wait = isFirst.current ? 0 : WAIT_MS;
    isFirst.current = false;
    const timer = setTimeout(() => {
      const given = JSON.parse(body) as SetWidgetSettingsRequest;
      api.call('createWidgetPreview', { params: { eventId }, body: given }).then(
        (made) => {
          if (!isCurrent) return;
          setError(null);
          setUrl(made.url);
        },
        (caught: unknown) => {
          if (isCurrent) setError(caught);
        },
      );
    }, wait);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, eventId, body]);
  return (
    <aside className="svcd-preview" aria-label={say('events.preview')}>
      <p className="svcd-preview-title">
        <strong>{say('events.preview')}</strong>
        {url !== null && <OutsideLink href={url}>{say('events.preview-open')}</OutsideLink>}
      </p>
      {error !== null && <Problem error={error} />}
      {url === null && error === null && <Loading />}
      {/* A new element for each address: one that differs in its fragment alone would not be loaded again. */}
      {url !== null && <iframe key={url} src={url} title={say('events.preview-frame')} allow="camera" />}
      <p className="svcd-small">{say('events.preview-help')}</p>
    </aside>
  );
}
