import { CircleAlert } from 'lucide';
import { ApiError } from '../api/errors.ts';
import { useMessageOf } from '../api/messages.ts';
import { useSay } from '../app/language.tsx';
import { Button, Icon } from './button.tsx';
import { toast } from './toast.tsx';

/** An error in words, with what to do; announced when it appears. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const say = useSay();
  const messageOf = useMessageOf();
  const { title, help } = messageOf(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div className="svcd-notice" data-tone="bad" role="alert">
      <Icon of={CircleAlert} />
      <div>
        <p className="svcd-notice-title">{title}</p>
        <p>{help}</p>
        {requestId !== null && <p className="svcd-small">{say('errors.request-id', { requestId })}</p>}
      </div>
      {onRetry !== undefined && (
        <Button size="small" onPress={onRetry}>
          {say('app.try-again')}
        </Button>
      )}
    </div>
  );
}

/** A hook: says in passing that an act failed, where no dialog or form is left to say it. */
export function useTellError(): (error: unknown) => void {
  const messageOf = useMessageOf();
  return (error) => {
    const { title, help } = messageOf(error);
    toast({ text: `${title} ${help}`, tone: 'bad' });
  };
}
