/** Index loops of MediaPipe's 468-point topology, each going once round. «Right» is the person's right, at the viewer's left. */
export const faceOval = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
] as const;

export const rightEye = [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246] as const;

export const leftEye = [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466] as const;

/** Upper lid, outer corner to inner corner. */
export const rightUpperLid = [33, 246, 161, 160, 159, 158, 157, 173, 133] as const;
export const rightLowerLid = [33, 7, 163, 144, 145, 153, 154, 155, 133] as const;
export const leftUpperLid = [263, 466, 388, 387, 386, 385, 384, 398, 362] as const;
export const leftLowerLid = [263, 249, 390, 373, 374, 380, 381, 382, 362] as const;

export const innerLips = [
  78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191,
] as const;

export const outerLips = [
  61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185,
] as const;

export const noseTip = 4;
