import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface CheckFieldProps {
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  /** Must be ticked before one can go on. */
  readonly required?: boolean;
  /** What is wrong with leaving it as it is; read out with the box. */
  readonly problem?: string | null;
  /** For whoever points to the box, as a form does at what is missing. */
  readonly name?: string;
  /** The words of the box; all of them can be pressed. */
  readonly children: ComponentChildren;
}

/** One box to tick. Its browser draws and remembers nothing of it. */
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
