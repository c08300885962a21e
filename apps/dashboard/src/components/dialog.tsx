import { X } from 'lucide';
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useSay } from '../app/language.tsx';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';

export interface DialogProps {
  readonly isOpen: boolean;
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

/** A modal dialog; Escape closes it, and the focus returns to where it was. */
export function Dialog({
  isOpen,
  onClose,
  title,
  size = 'normal',
  isQuestion = false,
  isKept = false,
  ...o
}: DialogProps) {
  const say = useSay();
  return (
    <ModalOverlay
      className="svcd-overlay"
      isOpen={isOpen}
      isDismissable={!isQuestion && !isKept}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="svcd-modal" data-size={size}>
        <AriaDialog className="svcd-dialog" role={isQuestion ? 'alertdialog' : 'dialog'}>
          <header className="svcd-dialog-header">
            <Heading slot="title">{title}</Heading>
            <Button kind="quiet" icon={X} label={say('app.close')} onPress={onClose} />
          </header>
          <div className="svcd-dialog-body">{o.children}</div>
          <footer className="svcd-dialog-footer">
            <Button onPress={onClose}>{o.cancelLabel ?? say('app.cancel')}</Button>
            {o.actions}
          </footer>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Of the button that does it: «Delete list». */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly isBusy?: boolean;
  readonly kind?: 'primary' | 'danger';
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks before something is done that is easily regretted. */
export function Confirm({ action, onConfirm, isBusy = false, kind = 'danger', children, ...o }: ConfirmProps) {
  return (
    <Dialog
      {...o}
      isQuestion
      actions={
        <Button kind={kind} isBusy={isBusy} onPress={onConfirm}>
          {action}
        </Button>
      }
    >
      {children}
    </Dialog>
  );
}

/** Asks for the typed name before something that cannot be undone. */
export function ConfirmByName({ name, children, ...o }: ConfirmProps & { readonly name: string }) {
  const say = useSay();
  const [typed, setTyped] = useState('');
  const isRight = typed.trim() === name.trim();
  return (
    <Dialog
      isOpen={o.isOpen}
      onClose={() => {
        setTyped('');
        o.onClose();
      }}
      title={o.title}
      isQuestion
      actions={
        <Button kind="danger" isBusy={o.isBusy ?? false} isDisabled={!isRight} onPress={o.onConfirm}>
          {o.action}
        </Button>
      }
    >
      {children}
      <TextField label={say('app.type-name', { name })} value={typed} onChange={setTyped} autoComplete="off" />
    </Dialog>
  );
}
