import { LoadingBar, ScreenFrame } from '@svc/ui';
import { useKiosk } from '../app/context.ts';

export function LoadingScreen() {
  const { say } = useKiosk();
  return (
    <ScreenFrame name="loading" title={say('app.loading')}>
      <LoadingBar />
    </ScreenFrame>
  );
}
