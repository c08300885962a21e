import { AppRegistry } from 'react-native';
import { Door } from './app.tsx';

AppRegistry.registerComponent('SvcDoor', () => () => (
  <Door baseUrl="https://faces.example" deviceToken="svcd_…" signingKeys={SIGNING_KEYS} />
));

/** From `svc region show`. */
const SIGNING_KEYS = ['…'];
