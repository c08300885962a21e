import type { Say } from '@svc/page-kit';
import { createScreenContext } from '@svc/ui';
import type { Preferences } from '../preferences.ts';
import type { CodeScanner } from '../scan/camera-scanner.ts';
import type { TextKey } from '../text/index.ts';
import type { KioskEvent } from '../view-model/state.ts';

/** Parts that the page gets from its environment. */
export interface Surroundings {
  readonly scanner: CodeScanner;
  /** The SDK shows the camera in it; the attempt screen places it. */
  readonly faceVideo: HTMLVideoElement;
  /** Shows the camera for tickets; the screens that have a viewfinder place it. */
  readonly codeVideo: HTMLVideoElement;
  readonly canVibrate: boolean;
  /** Engines and passive checks that were not installed when the page was built. */
  readonly notInstalled: readonly string[];
}

/** What every screen can use. */
export interface KioskContext extends Surroundings {
  readonly say: Say<TextKey>;
  readonly language: string;
  /** The language in the region of this device, for dates and times. */
  readonly locale: string;
  readonly dispatch: (event: KioskEvent) => void;
  readonly preferences: Preferences;
  readonly prefer: (change: Partial<Preferences>) => void;
}

export const [KioskProvider, useKiosk] = createScreenContext<KioskContext>();
