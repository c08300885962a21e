import { useSay } from '../../app/language.tsx';
import { SelectField } from '../../components/field.tsx';

const choices = [0, 1, 2, 3, 7, 14, 30] as const;

export interface RetainFieldProps {
  readonly retainDays: number;
  /** The date that follows, in words. */
  readonly deadline: string;
  readonly isDisabled?: boolean;
  readonly onChange: (retainDays: number) => void;
}

/** For how long faces are kept after an event, and until when that is. */
export function RetainField({ retainDays, deadline, isDisabled = false, onChange }: RetainFieldProps) {
  const say = useSay();
  const days = [...new Set<number>([...choices, retainDays])].sort((one, other) => one - other);
  return (
    <div className="svcd-stack">
      <SelectField<string>
        label={say('events.retain')}
        help={say('events.retain-help')}
        value={String(retainDays)}
        isDisabled={isDisabled}
        onChange={(value) => onChange(Number(value))}
        options={days.map((value) => ({ value: String(value), label: say('events.retain-days', { count: value }) }))}
      />
      <p className="svcd-deadline" role="status">
        {say('events.retain-deadline', { deadline })}
      </p>
    </div>
  );
}
