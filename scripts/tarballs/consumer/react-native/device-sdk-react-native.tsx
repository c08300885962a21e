import {
  createDevice,
  type Device,
  SvcCameraView,
  SvcDeviceError,
  useDeviceStatus,
  type VerificationResult,
} from '@svc/device-sdk-react-native';
import { useState } from 'react';
import { Pressable, Text } from 'react-native';

/** Only types are checked: its main entry point needs React Native, which Metro and jest alone load. */
export function Door({ deviceToken, signingKey }: { readonly deviceToken: string; readonly signingKey: string }) {
  const [device, setDevice] = useState<Device | null>(null);
  const [outcome, setOutcome] = useState<VerificationResult['outcome'] | null>(null);
  const status = useDeviceStatus(device);
  async function verify(): Promise<void> {
    try {
      const region = { baseUrl: 'https://faces.example', signingKeys: [signingKey] };
      const made = device ?? (await createDevice({ deviceToken, region }));
      setDevice(made);
      setOutcome((await made.verifyLiveAsync('ticket-4711')).outcome);
    } catch (error) {
      if (!SvcDeviceError.is(error)) throw error;
    }
  }
  return (
    <Pressable onPress={() => void verify()}>
      <SvcCameraView style={{ flex: 1 }} />
      <Text>{outcome ?? (status?.ready ? 'Scan a ticket' : 'Starting')}</Text>
    </Pressable>
  );
}
