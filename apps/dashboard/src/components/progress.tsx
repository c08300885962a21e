import { Label } from 'react-aria-components/Label';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { useFormat, useSay } from '../app/language.tsx';

/** Shown while something is fetched for the first time; nothing for the first moment, against flicker. */
export function Loading() {
  const say = useSay();
  return (
    <div className="svcd-loading" role="status">
      <span className="svcd-spinner" aria-hidden="true" />
      <span className="svc-visually-hidden">{say('app.loading')}</span>
    </div>
  );
}

/** Shown in the place of a table's rows while they are fetched. */
export function SkeletonRows({ count = 5 }: { readonly count?: number }) {
  const say = useSay();
  return (
    <div className="svcd-skeleton" role="status" aria-busy="true">
      <span className="svc-visually-hidden">{say('app.loading')}</span>
      {Array.from({ length: count }, (_, index) => (
        <span key={index} aria-hidden="true" />
      ))}
    </div>
  );
}

/** How far something is. @param value 0 to 1 */
export function Progress({ label, value }: { readonly label: string; readonly value: number }) {
  const format = useFormat();
  return (
    <ProgressBar className="svcd-progress" value={value * 100} valueLabel={format.percent(value)}>
      {({ percentage = 0, valueText }) => (
        <>
          <span className="svcd-progress-words">
            <Label>{label}</Label>
            <span>{valueText}</span>
          </span>
          <span className="svcd-progress-track">
            <span className="svcd-progress-fill" style={{ inlineSize: `${percentage}%` }} />
          </span>
        </>
      )}
    </ProgressBar>
  );
}
