import { Button, Icon } from '@svc/ui';
import { Image as Picture } from 'lucide';
import { useRef } from 'preact/hooks';
import { usePage, useSession } from './context.ts';

/** Upload in the place of the camera, but for lists that take photos of the camera alone. Nothing is sent by choosing. */
export function FileButton({ kind = 'secondary' }: { readonly kind?: 'primary' | 'secondary' }) {
  const { say, dispatch } = usePage();
  const { photoSource } = useSession();
  const input = useRef<HTMLInputElement>(null);
  if (photoSource === 'camera') return null;
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) dispatch({ type: 'file-chosen', file });
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <Button kind={kind} onPress={() => input.current?.click()}>
        <Icon of={Picture} />
        <span>{say('camera.upload')}</span>
      </Button>
    </>
  );
}
