/** What the page tells its service worker: nobody is in the middle of anything, so a new version may take over; or it runs, so old files may go. */
export type PageMessage = 'take-over' | 'started';
