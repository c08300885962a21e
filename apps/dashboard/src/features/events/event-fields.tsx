import { useMemo } from 'react';
import { SelectField, TextField } from '../../components/field.tsx';
import { say } from '../../text/index.ts';
import { countryOptions, nameTimeZone, timeZones, toInstant } from '../../text/places.ts';
import type { EventFields as EventInput, Faults, OrganiserFields as OrganiserInput } from './event-flow.ts';

export interface EventFieldsProps {
  readonly fields: EventInput;
  readonly faults: Faults;
  readonly isDisabled?: boolean;
  /** False once the event has a list: the list's own decides then. Default true. */
  readonly withCountry?: boolean;
  readonly onChange: (changes: Partial<EventInput>) => void;
}

function useFaultOf(faults: Faults): (name: keyof Faults) => string | undefined {
  return (name) => {
    const fault = faults[name];
    return fault === undefined ? undefined : say(`events.fault-${fault}`);
  };
}

/** What an event is called, where and when it is. Times are those of the place. */
export function EventFields({ fields, faults, isDisabled = false, withCountry = true, onChange }: EventFieldsProps) {
  const at = toInstant(fields.startsAt, fields.timeZone) ?? new Date().toISOString();
  const day = at.slice(0, 10);
  const zones = useMemo(() => {
    const names = timeZones();
    const all = names.includes(fields.timeZone) ? names : [fields.timeZone, ...names];
    return all.map((value) => ({ value, label: nameTimeZone(value, `${day}T12:00:00Z`) }));
  }, [day, fields.timeZone]);
  const countries = useMemo(() => countryOptions(), []);
  const faultOf = useFaultOf(faults);
  return (
    <>
      <TextField
        label={say('app.name-of')}
        help={say('app.shown-at-doors')}
        value={fields.name}
        onChange={(name) => onChange({ name })}
        error={faultOf('name')}
        isDisabled={isDisabled}
        isRequired
      />
      <div className="svcd-columns">
        <TextField
          label={say('events.starts-at')}
          type="datetime-local"
          value={fields.startsAt}
          onChange={(startsAt) => onChange({ startsAt })}
          error={faultOf('startsAt')}
          isDisabled={isDisabled}
          isRequired
        />
        <TextField
          label={say('events.ends-at')}
          type="datetime-local"
          value={fields.endsAt}
          min={fields.startsAt}
          onChange={(endsAt) => onChange({ endsAt })}
          error={faultOf('endsAt')}
          isDisabled={isDisabled}
          isRequired
        />
      </div>
      <SelectField
        label={say('events.time-zone')}
        help={say('events.time-zone-help')}
        value={fields.timeZone}
        onChange={(timeZone) => onChange({ timeZone })}
        options={zones}
        isDisabled={isDisabled}
      />
      {withCountry && (
        <SelectField
          label={say('events.country')}
          help={say('events.country-help')}
          value={fields.country}
          onChange={(country) => onChange({ country })}
          options={[{ value: '', label: say('events.country-none') }, ...countries]}
          isDisabled={isDisabled}
        />
      )}
    </>
  );
}

export interface OrganiserFieldsProps {
  readonly fields: OrganiserInput;
  readonly faults: Faults;
  readonly isDisabled?: boolean;
  readonly onChange: (changes: Partial<OrganiserInput>) => void;
}

/** Who asks guests for their face, and where they read what happens to it. */
export function OrganiserFields({ fields, faults, isDisabled = false, onChange }: OrganiserFieldsProps) {
  const faultOf = useFaultOf(faults);
  return (
    <>
      <TextField
        label={say('events.organiser-name')}
        help={say('events.organiser-name-help')}
        value={fields.organiserName}
        onChange={(organiserName) => onChange({ organiserName })}
        error={faultOf('organiserName')}
        isDisabled={isDisabled}
        isRequired
      />
      <TextField
        label={say('events.privacy-url')}
        help={say('events.privacy-url-help')}
        type="url"
        placeholder="https://"
        value={fields.privacyNoticeUrl}
        onChange={(privacyNoticeUrl) => onChange({ privacyNoticeUrl })}
        error={faultOf('privacyNoticeUrl')}
        isDisabled={isDisabled}
        isRequired
      />
    </>
  );
}

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
