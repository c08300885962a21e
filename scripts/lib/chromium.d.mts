/** Path of Chromium or Chrome; undefined if there is none. */
export function foundChromium(): string | undefined;

/** Installs Chromium if possible, and says so if not. */
export function chromium(): void;
