import { MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import { usePage, useSession } from './context.ts';

/** How many photos may still turn out unusable, in words and at a glance. */
export function AttemptsLeft() {
  const { say } = usePage();
  const { attemptsLeft } = useSession();
  return (
    <p class="attempts">
      <span class="attempts-dots" aria-hidden="true">
        {Array.from({ length: MAX_PHOTO_ATTEMPTS }, (_, i) => (
          <span key={i} data-left={i < attemptsLeft} />
        ))}
      </span>
      {say('camera.attempts', { count: attemptsLeft })}
    </p>
  );
}
