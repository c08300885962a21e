/** What the service's pages share. Styles are `@svc/ui/styles.css`, texts `@svc/ui/text`. */
export { Button, type ButtonProps } from './components/button.tsx';
export { Dialog } from './components/dialog.tsx';
export { type Fact, Facts } from './components/facts.tsx';
export { SelectField, type SelectFieldProps, TextField, type TextFieldProps } from './components/field.tsx';
export { LiveRegion } from './components/live-region.tsx';
export { Notice } from './components/notice.tsx';
