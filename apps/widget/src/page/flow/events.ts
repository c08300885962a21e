import type { PhotoRefusal, WidgetSession } from '@svc/protocol';
import type { Hint, PhotoProblem } from '../../ports.ts';
import type { Boxes, BoxName, Ending, HeldPhoto, NoCamera } from './state.ts';

/** What whoever shows the page is told: the DOM events of the widget. */
export type Notice =
  | { readonly type: 'ready' | 'enrolled' | 'declined' }
  /** The token was invalid or expired, or nothing more can be done with it. `message` is for the organiser, in English. */
  | { readonly type: 'error'; readonly message: string };

/** Everything that can happen to the page. */
export type FlowEvent =
  /** The page has its token. `language` is the organiser's wish; null: what the browser prefers. */
  | { readonly type: 'opened'; readonly language: string | null }
  /** There is no token in the link, or only a part of one. */
  | { readonly type: 'token-missing' }
  // Answers of the service
  | { readonly type: 'session-read'; readonly session: WidgetSession }
  | { readonly type: 'enrolled'; readonly deleteAfter: string }
  | { readonly type: 'photo-refused'; readonly refusal: PhotoRefusal; readonly attemptsLeft: number }
  | { readonly type: 'wording-changed' }
  | { readonly type: 'declined' }
  | { readonly type: 'ended'; readonly why: Ending; readonly message: string }
  | { readonly type: 'unreachable'; readonly kind: 'offline' | 'busy'; readonly retryAfterMs: number | null }
  // The guest
  | { readonly type: 'language-chosen'; readonly language: string }
  | { readonly type: 'box-ticked'; readonly box: BoxName; readonly ticked: boolean }
  | { readonly type: 'consent-pressed' }
  /** `key` names this request among its repeats. */
  | { readonly type: 'decline-pressed'; readonly key: string }
  | { readonly type: 'back-pressed' }
  | { readonly type: 'retry-pressed' }
  | { readonly type: 'camera-pressed' }
  | { readonly type: 'switch-pressed' }
  | { readonly type: 'shutter-pressed' }
  | { readonly type: 'file-chosen'; readonly file: Blob }
  | { readonly type: 'retake-pressed' }
  | { readonly type: 'send-pressed' }
  // Camera and browser
  | { readonly type: 'camera-opened'; readonly canSwitch: boolean; readonly mirrored: boolean }
  | { readonly type: 'camera-failed'; readonly problem: NoCamera }
  | { readonly type: 'guided'; readonly hint: Hint | null }
  | { readonly type: 'steady' }
  | { readonly type: 'photo-taken'; readonly photo: HeldPhoto }
  | { readonly type: 'file-refused'; readonly problem: PhotoProblem | 'offline' }
  /** The browser has a network again. */
  | { readonly type: 'online' };
export type EventType = FlowEvent['type'];

/** A request to the service; one at a time: a new one takes the place of the one before. */
export type Call =
  | { readonly to: 'session'; readonly language: string | null }
  | {
      readonly to: 'enrol';
      readonly photo: HeldPhoto;
      readonly boxes: Boxes;
      readonly session: Pick<WidgetSession, 'consentVersion' | 'language' | 'wordingSha256'>;
    }
  | { readonly to: 'decline'; readonly key: string };

/** What has to be done about it. */
export type Effect =
  | { readonly type: 'call'; readonly call: Call; readonly afterMs: number }
  /** Gives up the request of the moment, or the wait before the next one. */
  | { readonly type: 'call-off' }
  | { readonly type: 'open-camera' }
  | { readonly type: 'close-camera' }
  | { readonly type: 'switch-camera' }
  | { readonly type: 'take-photo' }
  | { readonly type: 'prepare-file'; readonly file: Blob }
  | { readonly type: 'tell'; readonly notice: Notice };
