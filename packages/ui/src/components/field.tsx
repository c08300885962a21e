import { nameOfLanguage } from '@svc/page-kit';
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface CheckFieldProps {
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  /** Must be ticked to continue. */
  readonly required?: boolean;
  /** Why the current value is not accepted; announced with the box. */
  readonly problem?: string | null;
  /** Identifies the box, so that a form can focus a missing one. */
  readonly name?: string;
  /** The box's label; all of it can be pressed. */
  readonly children: ComponentChildren;
}

/** A checkbox. Autofill is off, so browsers do not restore its value. */
export function CheckField({ checked, onCheck, required = false, problem, name, children }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="svc-check">
      <input
        id={id}
        class="svc-check-box"
        type="checkbox"
        name={name}
        autocomplete="off"
        checked={checked}
        aria-required={required ? 'true' : undefined}
        aria-invalid={problem ? 'true' : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <label for={id}>{children}</label>
      {problem ? (
        <p class="svc-field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly note?: string;
  /** Why the value is not accepted; announced with the field. */
  readonly problem?: string | null;
}

/** The ids that connect a control to its label, its note and its problem. */
interface Wiring {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
}

function Field({
  label,
  note,
  problem,
  children,
}: FieldProps & { readonly children: (wiring: Wiring) => ComponentChildren }) {
  const id = useId();
  const described = [note === undefined ? '' : `${id}-note`, problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return (
    <div class="svc-field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(problem ? { 'aria-invalid': 'true' } : {}),
      })}
      {note === undefined ? null : (
        <p class="svc-field-note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {problem ? (
        <p class="svc-field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Masked while typed, and not offered to a password manager. */
  readonly secret?: boolean;
  /** The page has keys for it: those of the system do not open over them. */
  readonly hasOwnKeys?: boolean;
  /** Takes the focus when it appears; for a field that the user asked for. */
  readonly takesFocus?: boolean;
}

/** A single-line text field without completion, correction or history. */
export function TextField({
  value,
  onInput,
  secret = false,
  hasOwnKeys = false,
  takesFocus = false,
  ...field
}: TextFieldProps) {
  const shown = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    // After the screen's heading, which takes the focus to be announced.
    const timer = setTimeout(() => shown.current?.focus());
    return () => clearTimeout(timer);
  }, [takesFocus]);
  return (
    <Field {...field}>
      {(wiring) => {
        const input = {
          ...wiring,
          ref: shown,
          class: 'svc-input',
          value,
          ...(hasOwnKeys ? { inputMode: 'none' as const } : {}),
          autocapitalize: 'off',
          autocorrect: 'off',
          spellcheck: false,
          dir: 'ltr',
          onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
        } as const;
        return secret ? (
          <input type="password" autocomplete="one-time-code" {...input} />
        ) : (
          <input type="text" autocomplete="off" {...input} />
        );
      }}
    </Field>
  );
}

export interface SelectFieldProps<V extends string> extends FieldProps {
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly text: string }[];
  readonly onSelect: (value: V) => void;
}

export function SelectField<V extends string>({ value, options, onSelect, ...field }: SelectFieldProps<V>) {
  return (
    <Field {...field}>
      {(wiring) => (
        <select
          {...wiring}
          class="svc-input"
          value={value}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.currentTarget.value);
            if (chosen) onSelect(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The choice of the page's language, each in its own words. */
export function LanguageChoice({
  label,
  value,
  languages,
  onChoose,
}: {
  /** For screen readers. */
  readonly label: string;
  readonly value: string;
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly onChoose: (language: string) => void;
}) {
  return (
    <label class="language">
      <span class="svc-visually-hidden">{label}</span>
      <select class="svc-input" value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {nameOfLanguage(language)}
          </option>
        ))}
      </select>
    </label>
  );
}
