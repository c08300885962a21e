/** What the service's pages share. Styles are `@svc/ui/styles.css`, texts `@svc/ui/text`, an organiser's looks `@svc/ui/theme`, scripts `@svc/ui/trusted-types`. */
export { Button, type ButtonProps } from './components/button.tsx';
export { CheckField, type CheckFieldProps } from './components/check-field.tsx';
export { Dialog } from './components/dialog.tsx';
export { type Fact, Facts } from './components/facts.tsx';
export { SelectField, type SelectFieldProps, TextField, type TextFieldProps } from './components/field.tsx';
export { Icon } from './components/icon.tsx';
export { LiveRegion } from './components/live-region.tsx';
export { LoadingBar } from './components/loading-bar.tsx';
export { Notice } from './components/notice.tsx';
export { ScreenFrame } from './components/screen-frame.tsx';
