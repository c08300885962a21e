import type { MountOptions, WidgetErrorDetail, WidgetHandle } from '@svc/widget';

/** What an organiser's page does with the global `Svc`; the script itself is included by its address. */
export function mount(container: HTMLElement, token: string): WidgetHandle {
  const options: MountOptions = { theme: 'dark', accent: '#ffd400', onEnrolled: () => container.remove() };
  const handle = Svc.mount(container, token, options);
  container.addEventListener('svc:error', ({ detail }) => show(detail));
  return handle;
}

const show = ({ message }: WidgetErrorDetail): void => alert(message);

export async function use(): Promise<void> {
  if (typeof mount !== 'function') throw new Error('not loaded');
}
