import { newUuid } from '@svc/page-kit';
import { X } from 'lucide';
import { createContext, type ReactNode, useCallback, useContext, useId, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { type Act, type ActOptions, useAct } from '../api/hooks.ts';
import type { AnswerOf, InputOf, OperationId } from '../api/operations.ts';
import { plain, say } from '../text/index.ts';
import { Button } from './controls.tsx';
import { TextField } from './field.tsx';
import { Problem, toast } from './status.tsx';

const CloseContext = createContext<() => void>(() => undefined);
export const CloseProvider = CloseContext.Provider;

/** A hook: closes the dialog around. */
export const useClose = () => useContext(CloseContext);

/** A dialog that was opened; the first of a page is shown. */
export interface Opened {
  readonly id: string;
  readonly element: ReactNode;
  /** Closes this one, and no other, however late. */
  readonly close: () => void;
}

/** Opens a dialog: at once, or where another is open, once that is closed, as it may hold what is shown once. */
export function openDialog(
  element: ReactNode,
  change: (to: (now: readonly Opened[]) => readonly Opened[]) => void,
): void {
  const id = newUuid();
  const close = () => change((now) => now.filter((each) => each.id !== id));
  change((now) => [...now, { id, element, close }]);
}

/** A hook: the dialog of a page, if there is one, and what opens one: `open(<ConfirmAct … />)`. */
export function useDialog() {
  const [[shown], change] = useState<readonly Opened[]>([]);
  const open = useCallback((element: ReactNode) => openDialog(element, change), []);
  const dialog = shown !== undefined && (
    <CloseProvider key={shown.id} value={shown.close}>
      {shown.element}
    </CloseProvider>
  );
  return { dialog, open };
}

export interface DialogProps {
  readonly title: string;
  readonly size?: 'normal' | 'wide';
  /** Asks whether something shall be done: a screen reader reads the whole dialog, and a press outside keeps it open. */
  readonly isQuestion?: boolean;
  /** Holds what is shown once: its buttons alone close it. */
  readonly isKept?: boolean;
  /** Waits for what is shown once: nothing closes it. */
  readonly isWaiting?: boolean;
  readonly actions?: ReactNode;
  /** Of the button that closes it; default: “Cancel”. */
  readonly cancelLabel?: string;
  readonly children: ReactNode;
}

/** A modal dialog, open while it is drawn; Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, isQuestion = false, isKept = false, isWaiting = false, ...o }: DialogProps) {
  const onClose = useClose();
  const close = () => {
    if (!isWaiting) onClose();
  };
  return (
    <ModalOverlay
      className="svcd-overlay"
      isOpen
      isDismissable={!isQuestion && !isKept}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={close}
    >
      <Modal className="svcd-modal" data-size={o.size ?? 'normal'}>
        <AriaDialog className="svcd-dialog" role={isQuestion ? 'alertdialog' : 'dialog'}>
          <header className="svcd-dialog-header">
            <Heading slot="title">{title}</Heading>
            <Button kind="quiet" icon={X} label={say('app.close')} onPress={close} />
          </header>
          <div className="svcd-dialog-body">{o.children}</div>
          <footer className="svcd-row svcd-dialog-footer">
            <Button onPress={close} text={o.cancelLabel ?? say('app.cancel')} />
            {o.actions}
          </footer>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmActProps<Id extends OperationId> extends Pick<ActOptions<unknown>, 'alsoChanges'> {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
  /** Of the button that does it: “Delete list”. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** Before what cannot be undone: a name that has to be typed. */
  readonly name?: string;
  readonly operation: Id;
  readonly input: InputOf<Id>;
  /** Said in passing once it is done. */
  readonly told?: string;
  readonly onDone?: (answer: AnswerOf<Id>) => unknown;
}

/** Asks before an operation of the service that is easily regretted, carries it out, and is closed. */
export function ConfirmAct<Id extends OperationId>({ kind = 'danger', name, ...o }: ConfirmActProps<Id>) {
  const [typed, setTyped] = useState('');
  const close = useClose();
  const act = useAct(o.operation, {
    alsoChanges: o.alsoChanges ?? [],
    onSuccess: (answer) => {
      close();
      if (o.told !== undefined) toast({ text: o.told });
      return o.onDone?.(answer);
    },
  });
  return (
    <Dialog
      title={o.title}
      isQuestion
      actions={
        <Button
          kind={kind}
          isBusy={act.isPending}
          isDisabled={name !== undefined && plain(typed).trim() !== plain(name).trim()}
          onPress={() => act.mutate(o.input)}
          text={o.action}
        />
      }
    >
      {o.text !== undefined && <p>{o.text}</p>}
      {o.children}
      <Problem error={act.error} />
      {name !== undefined && (
        <TextField label={say('app.type-name', { name })} value={typed} onChange={setTyped} autoComplete="off" />
      )}
    </Dialog>
  );
}

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

export function Form({ act, onSubmit, action, kind = 'primary', isReadOnly = false, children, ...o }: FormProps) {
  return (
    <form className="svcd-form" noValidate={o.isCheckedByBrowser !== true} onSubmit={submitBy(onSubmit)}>
      {children}
      <Problem error={act.error} />
      {!isReadOnly && (
        <Button kind={kind} type="submit" isBusy={act.isPending} isDisabled={o.isDisabled ?? false} text={action} />
      )}
    </form>
  );
}

export interface FormDialogProps extends Omit<DialogProps, 'actions'>, SubmitProps {
  /** The answer is shown once: it is waited for. */
  readonly holdsSecret?: boolean;
}

export function FormDialog({ act, onSubmit, action, isDisabled = false, children, ...o }: FormDialogProps) {
  const { holdsSecret = false, ...dialog } = o;
  const id = useId();
  return (
    <Dialog
      {...dialog}
      isWaiting={holdsSecret && act.isPending}
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
