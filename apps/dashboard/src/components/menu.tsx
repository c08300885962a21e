import { Ellipsis, type IconNode } from 'lucide';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Button, Icon } from './button.tsx';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconNode;
  readonly kind?: 'normal' | 'danger';
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

/** Further actions behind a button. @param label of the button: «Actions for door 3» */
export function Menu({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) {
  return (
    <MenuTrigger>
      <Button kind="quiet" size="small" icon={Ellipsis} label={label} />
      <Popover className="svcd-popover" placement="bottom end">
        <AriaMenu className="svcd-menu">
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
    </MenuTrigger>
  );
}
