import { type ChangeEvent, type ReactNode, useId } from 'react';

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

export function TextField({ label, help, error, isRequired, isDisabled, rows = 1, onChange, ...o }: TextFieldProps) {
  const control = {
    ...{ className: 'svcd-input', required: isRequired, disabled: isDisabled },
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.target.value),
  };
  return (
    <Labelled label={label} help={help} error={error}>
      {(wiring) =>
        rows > 1 ? <textarea {...o} {...wiring} {...control} rows={rows} /> : <input {...o} {...wiring} {...control} />
      }
    </Labelled>
  );
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

export function RadioField<Value extends string>({ label, help, error, ...o }: RadioFieldProps<Value>) {
  const id = useId();
  return (
    <fieldset className="svcd-fieldset" disabled={o.isDisabled} aria-describedby={`${id}-help ${id}-error`}>
      <legend>{label}</legend>
      {help !== undefined && (
        <span id={`${id}-help`} className="svcd-help">
          {help}
        </span>
      )}
      <div className="svcd-radios" data-inline={o.isInline ?? false}>
        {o.options.map((option) => (
          <label key={option.value} className="svcd-radio">
            <input
              type="radio"
              name={id}
              checked={option.value === o.value}
              disabled={option.isDisabled}
              onChange={() => o.onChange(option.value)}
            />
            <span>
              <b>{option.label}</b>
              {option.help !== undefined && <span className="svcd-help">{option.help}</span>}
            </span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <span id={`${id}-error`} className="svcd-error">
          {error}
        </span>
      )}
    </fieldset>
  );
}
