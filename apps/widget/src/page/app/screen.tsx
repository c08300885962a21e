import { ScreenFrame } from '@svc/ui';
import type { ComponentChildren } from 'preact';
import type { StepName } from '../flow/state.ts';

/** In somebody else's page the focus is taken only from a guest who has begun with this one. */
const isUsed = () => (navigator as Partial<Navigator>).userActivation?.hasBeenActive ?? true;

/** One step of the flow. */
export function Screen({
  name,
  title,
  children,
}: {
  readonly name: StepName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <ScreenFrame name={name} title={title} takesFocus={isUsed()}>
      {children}
    </ScreenFrame>
  );
}
