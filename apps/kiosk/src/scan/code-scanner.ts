import type { CameraProblem } from '../view-model/state.ts';

/** Looks for QR codes and barcodes with a camera. */
export interface CodeScanner {
  /**
   * Starts the camera, shows it in `video` and looks for codes until it is stopped. A camera that is lost is asked for again by itself.
   * @param o.cameraId `MediaDeviceInfo.deviceId`; null: the one that looks away from the operator, where there are two
   * @param o.onProblem why nothing is seen; null once something is
   * @returns stops it and turns the camera off
   */
  start(o: {
    readonly video: HTMLVideoElement;
    readonly cameraId: string | null;
    readonly onCode: (text: string) => void;
    readonly onProblem: (problem: CameraProblem | null) => void;
  }): () => void;
}
