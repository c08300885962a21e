import { X } from 'lucide';
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import type { Act } from '../api/hooks.ts';
import { say } from '../text/index.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Problem } from './status.tsx';

export interface DialogProps {
  /** Default: true, for one that is drawn when it is open. */
  readonly isOpen?: boolean;
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
export function Dialog({ isOpen = true, onClose, title, isQuestion = false, isKept = false, ...o }: DialogProps) {
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
      <Modal className="svcd-modal" data-size={o.size ?? 'normal'}>
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

export interface ConfirmProps extends Pick<DialogProps, 'isOpen' | 'onClose' | 'title' | 'children'> {
  /** Of the button that does it: «Delete list». */
  readonly action: string;
  /** What is sent: the dialog shows that it runs, and what went wrong. */
  readonly act?: Act;
  readonly onConfirm: () => void;
  readonly kind?: 'primary' | 'danger';
  /** Before what cannot be undone: a name that has to be typed. */
  readonly name?: string;
}

/** Asks before something is done that is easily regretted. */
export function Confirm({ action, act, onConfirm, kind = 'danger', name, children, ...o }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog
      {...o}
      onClose={() => {
        setTyped('');
        o.onClose();
      }}
      isQuestion
      actions={
        <Button
          kind={kind}
          isBusy={act?.isPending ?? false}
          isDisabled={name !== undefined && typed.trim() !== name.trim()}
          onPress={onConfirm}
        >
          {action}
        </Button>
      }
    >
      {children}
      {act !== undefined && act.error !== null && <Problem error={act.error} />}
      {name !== undefined && (
        <TextField label={say('app.type-name', { name })} value={typed} onChange={setTyped} autoComplete="off" />
      )}
    </Dialog>
  );
}
