import type { ShellBridge } from '../native-host.ts';

/** The shell's bridge: a message handler on iOS, a port that the page is given on Android. Resolves when it is there. */
export function openShellBridge(): Promise<ShellBridge> {
  const ios = window.webkit?.messageHandlers?.svcDevice;
  if (ios !== undefined) {
    return Promise.resolve({
      send: (text) => ios.postMessage(text),
      receive: (listener) => {
        window.svcDeviceReceive = listener;
      },
    });
  }
  return new Promise((resolve) => {
    const start = window.svcDeviceStart;
    const take = () => {
      const { port } = start;
      if (port === null) return;
      resolve({
        send: (text) => port.postMessage(text),
        receive: (listener) => {
          // Setting it opens the port.
          port.onmessage = ({ data }) => listener(data);
        },
      });
    };
    start.onPort = take;
    take();
  });
}
