import { useKiosk } from '../app/context.ts';
import { ScreenFrame } from '../app/screen.tsx';

export function LoadingScreen() {
  const { say } = useKiosk();
  return (
    <ScreenFrame name="loading" title={say('app.loading')}>
      <div class="loading-bar" aria-hidden="true" />
    </ScreenFrame>
  );
}
