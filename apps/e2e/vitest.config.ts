import { svcVitest } from '../../vitest.shared.ts';

/** Minutes before a camera in real time: not in every run, and nothing of them is loaded then. */
const longOfTheKiosk = 'src/kiosk/{table,trouble,camera-file}.e2e.test.ts';

/** Every form that a picture comes in, every thing that a page can do with the frame: minutes. */
const longOfTheWidget = 'src/widget/{upload,hostile-frame}.e2e.test.ts';

export default svcVitest({
  globalSetup: ['src/support/global-setup.ts'],
  exclude: [
    ...(process.env.SVC_KIOSK_ALL === '1' ? [] : [longOfTheKiosk]),
    ...(process.env.SVC_WIDGET_ALL === '1' ? [] : [longOfTheWidget]),
  ],
});
