/** Where a page's one device lives. */
export const DEFAULT_DATABASE_NAME = 'svc-device';
