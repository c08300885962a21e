import { X } from 'lucide';
import { Text } from 'react-aria-components/Text';
import {
  UNSTABLE_ToastRegion as AriaToastRegion,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
} from 'react-aria-components/Toast';
import { say } from '../text/index.ts';
import { Button } from './controls.tsx';
import type { ToastWords } from './status.tsx';

const queue = new ToastQueue<ToastWords>({ maxVisibleToasts: 3 });

/** Errors stay until they are closed. */
export function addToast(words: ToastWords): void {
  queue.add(words, words.tone === 'bad' ? {} : { timeout: words.onUndo === undefined ? 5_000 : 10_000 });
}

export function ShownToasts() {
  return (
    <AriaToastRegion queue={queue} className="svcd-toasts">
      {({ toast: shown }) => (
        <Toast toast={shown} className="svcd-toast" data-tone={shown.content.tone ?? 'good'}>
          <ToastContent>
            <Text slot="title">{shown.content.text}</Text>
          </ToastContent>
          {shown.content.onUndo !== undefined && (
            <Button
              kind="quiet"
              size="small"
              onPress={() => {
                shown.content.onUndo?.();
                queue.close(shown.key);
              }}
              text={say('app.undo')}
            />
          )}
          <Button kind="quiet" size="small" icon={X} label={say('app.close')} slot="close" />
        </Toast>
      )}
    </AriaToastRegion>
  );
}
