import {
  createDevice,
  type Device,
  SvcCameraView,
  SvcDeviceError,
  useDeviceStatus,
  type VerificationResult,
} from '@svc/device-sdk-react-native';
import { useEffect, useState } from 'react';
import { Pressable, StyleSheet, Text, TextInput, View } from 'react-native';

/** From your own pairing: the token is kept in the platform's secure storage, the keys are built into the app. */
export interface DoorProps {
  readonly deviceToken: string;
  readonly baseUrl: string;
  readonly signingKeys: readonly string[];
}

/** What staff do next. */
function nextStep({ outcome }: VerificationResult): string {
  switch (outcome) {
    case 'Match':
      return 'Welcome';
    case 'NotEnrolled':
    case 'LeaseExpired':
    case 'Expired':
      return 'Standard check-in, please';
    case 'LivenessFailed':
    case 'ChallengeFailed':
    case 'NoMatch':
    case 'NoFace':
      return 'Please ask our staff';
  }
}

const messageOf = (error: unknown) =>
  SvcDeviceError.is(error) ? `${error.code}: ${error.message}` : 'unexpected error';

/** A door: the camera, a field for the scanned ID, and what follows. */
export function Door({ deviceToken, baseUrl, signingKeys }: DoorProps) {
  const [device, setDevice] = useState<Device | null>(null);
  const [scannedId, setScannedId] = useState('');
  const [line, setLine] = useState('Starting');
  const [verifying, setVerifying] = useState(false);
  const status = useDeviceStatus(device);

  useEffect(() => {
    let ended = false;
    let opened: Device | null = null;
    createDevice({ deviceToken, region: { baseUrl, signingKeys } })
      .then(async (created) => {
        if (ended) return await created.dispose();
        opened = created;
        setDevice(created);
        setLine('');
      })
      .catch((error: unknown) => setLine(messageOf(error)));
    return () => {
      ended = true;
      opened?.dispose().catch(() => {});
    };
  }, [deviceToken, baseUrl, signingKeys]);

  const verify = async () => {
    if (device === null || verifying) return;
    setVerifying(true);
    setLine('');
    try {
      setLine(nextStep(await device.verifyLiveAsync(scannedId)));
    } catch (error) {
      setLine(messageOf(error));
    } finally {
      setVerifying(false);
    }
  };

  return (
    <View style={styles.page}>
      <SvcCameraView style={styles.camera} />
      <Text testID="status">
        {status === null
          ? 'No device'
          : status.ready
            ? `${status.people} people`
            : `Not ready: ${status.notReady?.reason}`}
      </Text>
      <TextInput accessibilityLabel="Scanned ID" autoCapitalize="none" onChangeText={setScannedId} value={scannedId} />
      <Pressable
        accessibilityRole="button"
        disabled={verifying}
        onPress={() => void verify()}
        style={styles.button}
        testID="verify"
      >
        <Text>Verify</Text>
      </Pressable>
      <Text accessibilityLiveRegion="polite" testID="line">
        {line}
      </Text>
    </View>
  );
}

const styles = StyleSheet.create({
  page: { flex: 1, gap: 12, padding: 16 },
  camera: { flex: 1 },
  button: { alignItems: 'center', minHeight: 48, justifyContent: 'center' },
});
