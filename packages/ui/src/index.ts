/** Components that the widget and the kiosk share. Styles are `@svc/ui/styles.css`. */
export { Button, Icon } from './components/button.tsx';
export { CheckField, LanguageChoice, SelectField, TextField } from './components/field.tsx';
export { Dialog, ScreenFrame } from './components/frames.tsx';
export { type Fact, Facts, LiveRegion, LoadingBar, Notice } from './components/status.tsx';
export { createScreenContext, useDocument, useMachine, useTexts } from './hooks.ts';
