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
  /** What to enter, and why. */
  readonly help?: ReactNode;
  /** What is wrong with the value, and how to mend it. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'url' | 'search' | 'password' | 'datetime-local' | 'date' | 'color';
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'url';
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  /** More than one: a text of several lines. */
  readonly rows?: number;
  readonly onBlur?: () => void;
  readonly min?: string;
  readonly max?: string;
}

/** A text, with label, help and error. */
export function TextField({ label, help, error, rows = 1, placeholder, min, max, ...o }: TextFieldProps) {
  const shown = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField {...o} className="svcd-field" isInvalid={error !== undefined} validationBehavior="aria">
      <Label>{label}</Label>
      {help !== undefined && (
        <Text slot="description" className="svcd-help">
          {help}
        </Text>
      )}
      {rows > 1 ? (
        <TextArea className="svcd-input" rows={rows} {...shown} />
      ) : (
        <Input
          className="svcd-input"
          {...shown}
          {...(min === undefined ? {} : { min })}
          {...(max === undefined ? {} : { max })}
        />
      )}
      <FieldError className="svcd-error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface NumberFieldProps extends FieldProps {
  /** Null: empty, or no number. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}

/** A whole number. */
export function NumberField({ value, onChange, ...o }: NumberFieldProps) {
  return (
    <TextField
      {...o}
      inputMode="numeric"
      value={value === null ? '' : String(value)}
      onChange={(text) => {
        const digits = text.replace(/\D/g, '').slice(0, 9);
        onChange(digits === '' ? null : Number(digits));
      }}
    />
  );
}

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly help?: ReactNode;
  readonly isDisabled?: boolean;
}

export interface SelectFieldProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly Option<Value>[];
}

/** One of several, from the system's own list. */
export function SelectField<Value extends string>({ label, help, error, ...o }: SelectFieldProps<Value>) {
  const id = useId();
  return (
    <div className="svcd-field">
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <span id={`${id}-help`} className="svcd-help">
          {help}
        </span>
      )}
      <select
        id={id}
        className="svcd-input"
        value={o.value}
        disabled={o.isDisabled}
        required={o.isRequired}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-help ${id}-error`}
        onChange={(event) => o.onChange(event.target.value as Value)}
      >
        {o.options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.isDisabled}>
            {option.label}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <span id={`${id}-error`} className="svcd-error">
          {error}
        </span>
      )}
    </div>
  );
}

export interface CheckFieldProps extends FieldProps {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** Yes or no. */
export function CheckField({ label, help, error, value, onChange, isDisabled, isRequired }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="svcd-check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={isDisabled}
        required={isRequired}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <div id={`${id}-help`}>
          {help !== undefined && <span className="svcd-help">{help}</span>}
          {error !== undefined && <span className="svcd-error">{error}</span>}
        </div>
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
      {help !== undefined && (
        <Text slot="description" className="svcd-help">
          {help}
        </Text>
      )}
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
