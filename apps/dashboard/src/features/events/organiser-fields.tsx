import { useSay } from '../../app/language.tsx';
import { TextField } from '../../components/field.tsx';
import type { Faults, OrganiserFields as Fields } from './event-flow.ts';

export interface OrganiserFieldsProps {
  readonly fields: Fields;
  readonly faults: Faults;
  readonly isDisabled?: boolean;
  readonly onChange: (changes: Partial<Fields>) => void;
}

/** Who asks guests for their face, and where they read what happens to it. */
export function OrganiserFields({ fields, faults, isDisabled = false, onChange }: OrganiserFieldsProps) {
  const say = useSay();
  const faultOf = (name: keyof Faults) => {
    const fault = faults[name];
    return fault === undefined ? undefined : say(`events.fault-${fault}`);
  };
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
