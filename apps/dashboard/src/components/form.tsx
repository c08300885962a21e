import { type ReactNode, useId, useState } from 'react';
import type { Act } from '../api/hooks.ts';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Problem } from './status.tsx';

/** Binds fields to the members of a value: `<TextField {...bind('name')} />`. */
export const binder =
  <Values extends object>(values: Values, onChange: (changes: Partial<Values>) => void) =>
  <Name extends keyof Values>(name: Name) => ({
    value: values[name],
    onChange: (value: Values[Name]) => onChange({ [name]: value } as unknown as Partial<Values>),
  });

/** A hook: the values of a form, what binds a field to each, and a change of some. */
export function useValues<Values extends object>(initial: Values | (() => Values)) {
  const [values, setValues] = useState(initial);
  const change = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
  return { values, change, bind: binder(values, change) };
}

interface SubmitProps {
  readonly act: Act;
  readonly onSubmit: (form: HTMLFormElement) => void;
  /** Of the button that submits. */
  readonly action: string;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Submits by script alone. */
const submitBy = (onSubmit: SubmitProps['onSubmit']) => (event: React.FormEvent<HTMLFormElement>) => {
  event.preventDefault();
  onSubmit(event.currentTarget);
};

export interface FormProps extends SubmitProps {
  readonly kind?: 'primary' | 'secondary';
  /** Shows the values to somebody who may not change them. */
  readonly isReadOnly?: boolean;
  /** Addresses are also looked at by the browser. */
  readonly isCheckedByBrowser?: boolean;
}

/** Fields, what went wrong, and the button that sends them. */
export function Form({ act, onSubmit, action, kind = 'primary', isReadOnly = false, children, ...o }: FormProps) {
  return (
    <form className="svcd-form" noValidate={o.isCheckedByBrowser !== true} onSubmit={submitBy(onSubmit)}>
      {children}
      <Problem error={act.error} />
      {!isReadOnly && (
        <div className="svcd-row">
          <Button kind={kind} type="submit" isBusy={act.isPending} isDisabled={o.isDisabled ?? false} text={action} />
        </div>
      )}
    </form>
  );
}

export interface FormDialogProps extends Omit<DialogProps, 'actions'>, SubmitProps {
  /** The answer is shown once: it is waited for. */
  readonly holdsSecret?: boolean;
}

/** A form in a dialog. */
export function FormDialog({ act, onSubmit, action, isDisabled = false, children, ...o }: FormDialogProps) {
  const { holdsSecret = false, onClose, ...dialog } = o;
  const id = useId();
  return (
    <Dialog
      {...dialog}
      onClose={holdsSecret && act.isPending ? () => undefined : onClose}
      actions={
        <Button kind="primary" type="submit" form={id} isBusy={act.isPending} isDisabled={isDisabled} text={action} />
      }
    >
      <form id={id} className="svcd-stack" noValidate onSubmit={submitBy(onSubmit)}>
        {children}
      </form>
      <Problem error={act.error} />
    </Dialog>
  );
}
