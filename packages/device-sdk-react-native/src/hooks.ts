import type { DeviceStatus, Prompt } from '@svc/device-sdk-native';
import { useCallback, useSyncExternalStore } from 'react';
import type { Device } from './device.ts';

const unsubscribed = () => {};

/** The device's status, anew at each change; null without a device. */
export function useDeviceStatus(device: Device | null): DeviceStatus | null {
  const subscribe = useCallback((changed: () => void) => device?.onStatus(changed) ?? unsubscribed, [device]);
  return useSyncExternalStore(subscribe, () => device?.status() ?? null);
}

/** The instruction to the person, for hosts that draw it themselves; null between attempts and without a device. */
export function useDevicePrompt(device: Device | null): Prompt | null {
  const subscribe = useCallback((changed: () => void) => device?.onPrompt(changed) ?? unsubscribed, [device]);
  return useSyncExternalStore(subscribe, () => device?.prompt() ?? null);
}
