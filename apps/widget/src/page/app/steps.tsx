import { Icon } from '@svc/ui';
import { Check } from 'lucide';
import type { StepName } from '../flow/state.ts';
import { usePage } from './context.ts';

const shown = ['consent', 'camera', 'check', 'done'] as const;
/** At which of them one is; of the ways out none is a step of this way. */
const placeOf: Partial<Readonly<Record<StepName, (typeof shown)[number]>>> = {
  consent: 'consent',
  camera: 'camera',
  refused: 'camera',
  check: 'check',
  sending: 'check',
  done: 'done',
};

/** How far it is. */
export function Steps({ step }: { readonly step: StepName }) {
  const { say } = usePage();
  const place = placeOf[step];
  if (place === undefined) return null;
  const at = shown.indexOf(place);
  return (
    <nav aria-label={say('page.steps')}>
      <ol class="steps">
        {shown.map((name, i) => (
          <li
            key={name}
            data-state={i < at || place === 'done' ? 'past' : i === at ? 'now' : 'ahead'}
            aria-current={i === at ? 'step' : undefined}
          >
            <span class="steps-mark" aria-hidden="true">
              {i < at || place === 'done' ? <Icon of={Check} /> : i + 1}
            </span>
            <span class="steps-name">{say(`page.step-${name}`)}</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
