import { countries as countryCodes } from '@svc/protocol';
import { useMemo } from 'react';
import { useFormat, useSay } from '../../app/language.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import type { Faults, EventFields as Fields } from './event-flow.ts';
import { nameTimeZone, timeZones, toInstant } from './zoned-time.ts';

/** The countries by their names in a language, in its order. @param locale BCP 47 */
export function countryOptions(locale: string): readonly { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames([locale], { type: 'region' });
  const collator = new Intl.Collator(locale);
  return countryCodes
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((one, other) => collator.compare(one.label, other.label));
}

export interface EventFieldsProps {
  readonly fields: Fields;
  readonly faults: Faults;
  readonly isDisabled?: boolean;
  /** False once the event has a list: the list's own decides then. Default true. */
  readonly withCountry?: boolean;
  readonly onChange: (changes: Partial<Fields>) => void;
}

/** What an event is called, where and when it is. Times are those of the place. */
export function EventFields({ fields, faults, isDisabled = false, withCountry = true, onChange }: EventFieldsProps) {
  const say = useSay();
  const { locale } = useFormat();
  const at = toInstant(fields.startsAt, fields.timeZone) ?? new Date().toISOString();
  const day = at.slice(0, 10);
  const zones = useMemo(() => {
    const names = timeZones();
    const all = names.includes(fields.timeZone) ? names : [fields.timeZone, ...names];
    return all.map((value) => ({ value, label: nameTimeZone(value, `${day}T12:00:00Z`, locale) }));
  }, [locale, day, fields.timeZone]);
  const countries = useMemo(() => countryOptions(locale), [locale]);
  const faultOf = (name: keyof Faults) => {
    const fault = faults[name];
    return fault === undefined ? undefined : say(`events.fault-${fault}`);
  };
  return (
    <>
      <TextField
        label={say('events.name')}
        help={say('events.name-help')}
        value={fields.name}
        onChange={(name) => onChange({ name })}
        error={faultOf('name')}
        isDisabled={isDisabled}
        isRequired
      />
      <div className="svcd-pair">
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
