import { type ReactNode, useId } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
}

interface ValueProps<Value> extends FieldProps {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export interface TextFieldProps extends ValueProps<string> {
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'datetime-local' | 'date';
  readonly inputMode?: 'numeric';
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  /** More than one: a text of several lines. */
  readonly rows?: number;
  readonly min?: string;
  readonly max?: string;
}

const Help = ({ help }: Pick<FieldProps, 'help'>) =>
  help === undefined ? null : (
    <Text slot="description" className="svcd-help">
      {help}
    </Text>
  );

export function TextField({
  label,
  help,
  error,
  rows = 1,
  placeholder = '',
  min = '',
  max = '',
  ...o
}: TextFieldProps) {
  return (
    <AriaTextField {...o} className="svcd-field" isInvalid={error !== undefined} validationBehavior="aria">
      <Label>{label}</Label>
      <Help help={help} />
      {rows > 1 ? (
        <TextArea className="svcd-input" rows={rows} placeholder={placeholder} />
      ) : (
        <Input className="svcd-input" placeholder={placeholder} min={min} max={max} />
      )}
      <FieldError className="svcd-error">{error}</FieldError>
    </AriaTextField>
  );
}

/** A whole number; null: empty, or no number. */
export function NumberField({ value, onChange, ...o }: ValueProps<number | null>) {
  const read = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, 9);
    onChange(digits === '' ? null : Number(digits));
  };
  return <TextField {...o} inputMode="numeric" value={value === null ? '' : String(value)} onChange={read} />;
}

/** Of the browser's own control: what connects it to its label, help and error. */
export interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/** One of the browser's own controls, with label, help and error. */
export function Labelled({
  label,
  help,
  error,
  isAlert = false,
  children,
}: FieldProps & { readonly isAlert?: boolean; readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  return (
    <div className="svcd-field">
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <span id={`${id}-help`} className="svcd-help">
          {help}
        </span>
      )}
      {children({ id, 'aria-describedby': `${id}-help ${id}-error`, 'aria-invalid': error !== undefined })}
      {error !== undefined && (
        <span id={`${id}-error`} className="svcd-error" role={isAlert ? 'alert' : undefined}>
          {error}
        </span>
      )}
    </div>
  );
}

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly help?: string;
  readonly isDisabled?: boolean;
}

export interface SelectFieldProps<Value extends string> extends ValueProps<Value> {
  readonly options: readonly Option<Value>[];
}

/** One of several, from the system's own list. */
export function SelectField<Value extends string>({ value, onChange, options, ...o }: SelectFieldProps<Value>) {
  return (
    <Labelled {...o}>
      {(wiring) => (
        <select
          {...wiring}
          className="svcd-input"
          value={value}
          disabled={o.isDisabled}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function CheckField({ label, help, value, onChange, isDisabled }: ValueProps<boolean>) {
  const id = useId();
  return (
    <div className="svcd-check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={isDisabled}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <div id={`${id}-help`}>{help !== undefined && <span className="svcd-help">{help}</span>}</div>
      </div>
    </div>
  );
}

export interface RadioFieldProps<Value extends string> extends SelectFieldProps<Value> {
  /** Side by side, for options of a word. */
  readonly isInline?: boolean;
}

/** One of few, all of them visible, each with its explanation. */
export function RadioField<Value extends string>({ label, help, error, ...o }: RadioFieldProps<Value>) {
  return (
    <RadioGroup
      className="svcd-field"
      value={o.value}
      onChange={(value) => o.onChange(value as Value)}
      isDisabled={o.isDisabled ?? false}
      isInvalid={error !== undefined}
    >
      <Label>{label}</Label>
      <Help help={help} />
      <div className="svcd-radios" data-inline={o.isInline ?? false}>
        {o.options.map((option) => (
          <Radio key={option.value} value={option.value} isDisabled={option.isDisabled ?? false} className="svcd-radio">
            <span className="svcd-radio-mark" aria-hidden="true" />
            <span>
              <span className="svcd-radio-label">{option.label}</span>
              {option.help !== undefined && <span className="svcd-help">{option.help}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldError className="svcd-error">{error}</FieldError>
    </RadioGroup>
  );
}
