import { X } from 'lucide';
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { type Act, type ActOptions, useAct } from '../api/hooks.ts';
import type { AnswerOf, InputOf, OperationId } from '../api/operations.ts';
import { say } from '../text/index.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Problem } from './status.tsx';
import { toast } from './toast.tsx';

export interface DialogProps {
  readonly onClose: () => void;
  readonly title: string;
  readonly size?: 'normal' | 'wide';
  /** Asks whether something shall be done: a screen reader reads the whole dialog, and a press outside keeps it open. */
  readonly isQuestion?: boolean;
  /** Holds what is shown once: its buttons alone close it. */
  readonly isKept?: boolean;
  /** Buttons at the end, after «Cancel». */
  readonly actions?: ReactNode;
  /** Of the button that closes it; default: «Cancel». */
  readonly cancelLabel?: string;
  readonly children: ReactNode;
}

/** A modal dialog, open while it is drawn; Escape closes it, and the focus returns to where it was. */
export function Dialog({ onClose, title, isQuestion = false, isKept = false, ...o }: DialogProps) {
  return (
    <ModalOverlay
      className="svcd-overlay"
      isOpen
      isDismissable={!isQuestion && !isKept}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="svcd-modal" data-size={o.size ?? 'normal'}>
        <AriaDialog className="svcd-dialog" role={isQuestion ? 'alertdialog' : 'dialog'}>
          <header className="svcd-dialog-header">
            <Heading slot="title">{title}</Heading>
            <Button kind="quiet" icon={X} label={say('app.close')} onPress={onClose} />
          </header>
          <div className="svcd-dialog-body">{o.children}</div>
          <footer className="svcd-dialog-footer">
            <Button onPress={onClose} text={o.cancelLabel ?? say('app.cancel')} />
            {o.actions}
          </footer>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmProps extends Pick<DialogProps, 'onClose' | 'title'> {
  /** Of the button that does it: «Delete list». */
  readonly action: string;
  /** What is sent: the dialog shows that it runs, and what went wrong. */
  readonly act?: Act;
  readonly onConfirm: () => void;
  readonly kind?: 'primary' | 'danger';
  /** Before what cannot be undone: a name that has to be typed. */
  readonly name?: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

/** Asks before something is done that is easily regretted. */
export function Confirm({ action, act, onConfirm, kind = 'danger', name, text, children, ...dialog }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const isDisabled = name !== undefined && typed.trim() !== name.trim();
  const isBusy = act?.isPending ?? false;
  return (
    <Dialog
      {...dialog}
      isQuestion
      actions={<Button kind={kind} isBusy={isBusy} isDisabled={isDisabled} onPress={onConfirm} text={action} />}
    >
      {text !== undefined && <p>{text}</p>}
      {children}
      <Problem error={act?.error} />
      {name !== undefined && (
        <TextField label={say('app.type-name', { name })} value={typed} onChange={setTyped} autoComplete="off" />
      )}
    </Dialog>
  );
}

export interface ConfirmActProps<Id extends OperationId>
  extends Omit<ConfirmProps, 'act' | 'onConfirm'>,
    Pick<ActOptions<unknown>, 'alsoChanges'> {
  readonly operation: Id;
  readonly input: InputOf<Id>;
  /** Said in passing once it is done. */
  readonly told?: string;
  readonly onDone?: (answer: AnswerOf<Id>) => void;
}

/** Asks before an operation of the service, carries it out, and is closed. */
export function ConfirmAct<Id extends OperationId>(o: ConfirmActProps<Id>) {
  const { operation, input, told, onDone, alsoChanges = [], ...confirm } = o;
  const act = useAct(operation, {
    alsoChanges,
    onSuccess: (answer) => {
      confirm.onClose();
      if (told !== undefined) toast({ text: told });
      onDone?.(answer);
    },
  });
  return <Confirm {...confirm} act={act} onConfirm={() => act.mutate(input)} />;
}
