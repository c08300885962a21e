import type { ReactNode } from 'react';

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

/** Properties of a thing: names with values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="svcd-facts">
      {facts.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
