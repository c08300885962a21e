import { MAX_PLACE_CODE_POINTS } from '@svc/protocol';
import { useMemo } from 'react';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { binder } from '../../components/form.tsx';
import { Notice } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { countryOptions, nameTimeZone, timeZones, toInstant } from '../../text/places.ts';
import type { ListPolicies } from '../lists/consequences.tsx';
import { AttendanceField } from '../lists/list-settings.tsx';
import type { EventFields as EventInput, Faults, OrganiserFields as OrganiserInput } from './event-flow.ts';

interface FieldsProps<Fields> {
  readonly fields: Fields;
  readonly faults: Faults;
  readonly isDisabled?: boolean;
  readonly onChange: (changes: Partial<Fields>) => void;
}

function commonOf<Fields extends object>({ fields, faults, isDisabled = false, onChange }: FieldsProps<Fields>) {
  const bind = binder(fields, onChange);
  return <Name extends keyof Fields & keyof Faults>(name: Name) => {
    const fault = faults[name];
    return { ...bind(name), isDisabled, error: fault === undefined ? undefined : say(`events.fault-${fault}`) };
  };
}

export interface EventFieldsProps extends FieldsProps<EventInput> {
  /** False once the event has a list: the list's own decides then. */
  readonly withCountry: boolean;
}

export function EventFields({ withCountry, ...o }: EventFieldsProps) {
  const { startsAt, timeZone } = o.fields;
  const at = toInstant(startsAt, timeZone) ?? new Date().toISOString();
  const day = at.slice(0, 10);
  const zones = useMemo(
    () => timeZones(timeZone).map((value) => ({ value, label: nameTimeZone(value, `${day}T12:00:00Z`) })),
    [day, timeZone],
  );
  const countries = useMemo(countryOptions, []);
  const of = commonOf(o);
  return (
    <>
      <TextField label={say('app.name-of')} help={say('app.shown-at-doors')} {...of('name')} isRequired />
      <div className="svcd-columns">
        <TextField label={say('events.starts-at')} type="datetime-local" {...of('startsAt')} isRequired />
        <TextField label={say('events.ends-at')} type="datetime-local" min={startsAt} {...of('endsAt')} isRequired />
      </div>
      <SelectField {...words('events.time-zone')} {...of('timeZone')} options={zones} />
      <TextField
        {...words('events.place')}
        {...of('place')}
        value={o.fields.place ?? ''}
        maxLength={MAX_PLACE_CODE_POINTS}
      />
      {withCountry && <SelectField {...words('events.country')} {...of('country')} options={countries} />}
    </>
  );
}

/** Who asks guests for their face, and where they read what happens to it. */
export function OrganiserFields(o: FieldsProps<OrganiserInput>) {
  const of = commonOf(o);
  return (
    <>
      <TextField {...words('events.organiser-name')} {...of('organiserName')} isRequired />
      <TextField
        {...words('events.privacy-url')}
        type="url"
        placeholder="https://"
        {...of('privacyNoticeUrl')}
        isRequired
      />
    </>
  );
}

const choices = [0, 1, 2, 3, 7, 14, 30] as const;

export interface RetainFieldsProps extends Omit<FieldsProps<ListPolicies>, 'fields' | 'faults'> {
  readonly value: ListPolicies;
  readonly deadline: string;
}

/** For how long faces are kept after an event and until when that is, where photos come from, and who watches. */
export function RetainFields({ value, deadline, isDisabled = false, onChange }: RetainFieldsProps) {
  const days = [...new Set<number>([...choices, value.retainDays])].sort((one, other) => one - other);
  return (
    <>
      <div className="svcd-stack">
        <SelectField<string>
          {...words('events.retain')}
          value={String(value.retainDays)}
          isDisabled={isDisabled}
          onChange={(chosen) => onChange({ retainDays: Number(chosen) })}
          options={days.map((count) => ({ value: String(count), label: say('events.retain-days', { count }) }))}
        />
        <div role="status">
          <Notice text={say('events.retain-deadline', { deadline })} />
          {value.retainDays === 0 && <Notice tone="warning" text={say('events.retain-none')} />}
        </div>
      </div>
      <CheckField
        {...words('lists.camera-only')}
        value={value.isCameraOnly}
        isDisabled={isDisabled}
        onChange={(isCameraOnly) => onChange({ isCameraOnly })}
      />
      <AttendanceField {...binder(value, onChange)('attendance')} isDisabled={isDisabled} />
    </>
  );
}
