import { Button, Notice } from '@svc/ui';
import type { ComponentChildren } from 'preact';
import type { Trouble } from '../flow/state.ts';
import { usePage } from './context.ts';

/** The service is not to be had: what that means, and what one can do besides waiting. Read out as it appears. */
export function TroubleNotice({
  trouble,
  explain,
  children,
}: {
  readonly trouble: Trouble | null;
  readonly explain?: string | null;
  /** Other ways on. */
  readonly children?: ComponentChildren;
}) {
  const { say, dispatch } = usePage();
  return (
    <div class="trouble" role="status">
      {trouble === null ? null : (
        <Notice tone="other" title={say(`trouble.${trouble.kind}`)}>
          {explain ? <p>{explain}</p> : null}
          <p>{say('trouble.again')}</p>
          <div class="svc-actions">
            <Button onPress={() => dispatch({ type: 'retry-pressed' })}>{say('trouble.retry')}</Button>
            {children}
          </div>
        </Notice>
      )}
    </div>
  );
}
