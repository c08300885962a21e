import { useSay } from '../../app/language.tsx';
import type { Line } from './consequences.ts';

/** What an act does, sentence by sentence. */
export function Lines({ lines }: { readonly lines: readonly Line[] }) {
  const say = useSay();
  return (
    <ul className="svcd-lines">
      {lines.map(({ key, values }) => (
        <li key={key}>{say(key, values)}</li>
      ))}
    </ul>
  );
}
