/**
 * Components shared by the service's pages. Styles are `@svc/ui/styles.css`, texts `@svc/ui/text`, theming
 * `@svc/ui/theme`, scripts `@svc/ui/trusted-types`.
 */
export { Button, Icon } from './components/button.tsx';
export { CheckField, SelectField, TextField } from './components/field.tsx';
export { Dialog, ScreenFrame } from './components/frames.tsx';
export { type Fact, Facts, LiveRegion, LoadingBar, Notice } from './components/status.tsx';
