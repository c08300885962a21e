import { Ellipsis, type IconNode } from 'lucide';
import { useRef, useState } from 'react';
import { Menu as AriaMenu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Button, Icon } from './controls.tsx';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconNode;
  readonly kind?: 'normal' | 'danger';
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/**
 * Further actions behind a button; they are built when it is opened, because a table has a menu in each row.
 * @param label of the button: “Actions for door 3”
 */
export function Menu({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        kind="quiet"
        size="small"
        icon={Ellipsis}
        label={label}
        ref={trigger}
        hasMenu
        isExpanded={isOpen}
        onPress={() => setOpen(true)}
      />
      {isOpen && (
        <Popover
          className="svcd-popover svcd-panel"
          placement="bottom end"
          trigger="MenuTrigger"
          triggerRef={trigger}
          isOpen
          onOpenChange={setOpen}
        >
          <AriaMenu className="svcd-menu" aria-label={label} autoFocus="first" onClose={() => setOpen(false)}>
            {entries.map((entry) => (
              <MenuItem
                key={entry.label}
                className="svcd-menu-item"
                data-kind={entry.kind ?? 'normal'}
                isDisabled={entry.isDisabled ?? false}
                onAction={entry.onPress}
              >
                {entry.icon !== undefined && <Icon of={entry.icon} />}
                {entry.label}
              </MenuItem>
            ))}
          </AriaMenu>
        </Popover>
      )}
    </>
  );
}
