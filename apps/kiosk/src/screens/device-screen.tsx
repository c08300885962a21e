import type { DeviceStatus } from '@svc/device-sdk';
import { describeWebStorage, listWebCameras, type WebCamera } from '@svc/device-sdk-web';
import { Button, CheckField, type Fact, Facts, Notice, ScreenFrame, SelectField } from '@svc/ui';
import { useEffect, useState } from 'preact/hooks';
import type { TextKey } from '../text/index.ts';
import { failedSyncText, notReadyText } from '../text/reasons.ts';
import type { ScreenOf } from '../view-model/screen.ts';
import { type KioskContext, useKiosk } from './context.ts';
import { PinSettings } from './pin-screen.tsx';
import { UnpairQuestion, WaysOut } from './stopped-screens.tsx';

function cameraOptions({ say }: KioskContext, cameras: readonly WebCamera[], chosen: string) {
  const there = cameras
    .filter(({ deviceId }) => deviceId !== '')
    .map(({ deviceId: value, label }, i) => ({
      value,
      text: label === '' ? say('settings.camera-unnamed', { number: i + 1 }) : label,
    }));
  const options = [{ value: 'automatic', text: say('settings.camera-automatic') }, ...there];
  // An unplugged camera stays selected.
  const known = chosen === 'none' || options.some(({ value }) => value === chosen);
  return known ? options : [...options, { value: chosen, text: say('settings.camera-unnamed', { number: '?' }) }];
}

/** @param isLit the list asks for the light: it is no choice of this device */
function SettingsForm({ isLit }: { readonly isLit: boolean }) {
  const context = useKiosk();
  const { say, preferences, prefer, canVibrate } = context;
  const [cameras, setCameras] = useState<readonly WebCamera[]>([]);
  useEffect(() => {
    void listWebCameras().then(setCameras);
  }, []);
  const { codeCamera, faceCamera, theme } = preferences;
  const offOrOn = (name: 'sound' | 'vibration' | 'light') => (
    <CheckField checked={preferences[name]} onCheck={(isOn) => prefer({ [name]: isOn })}>
      {say(`settings.${name}`)}
    </CheckField>
  );
  return (
    <div class="settings">
      <SelectField
        label={say('settings.theme')}
        value={theme}
        options={(['system', 'light', 'dark'] as const).map((value) => ({
          value,
          text: say(value === 'system' ? 'settings.camera-automatic' : `settings.theme-${value}`),
        }))}
        onSelect={(value) => prefer({ theme: value })}
      />
      <SelectField
        label={say('settings.code-camera')}
        value={codeCamera}
        options={[...cameraOptions(context, cameras, codeCamera), { value: 'none', text: say('settings.camera-none') }]}
        onSelect={(value) => prefer({ codeCamera: value })}
      />
      <SelectField
        label={say('settings.face-camera')}
        value={faceCamera}
        options={cameraOptions(context, cameras, faceCamera)}
        onSelect={(value) => prefer({ faceCamera: value })}
      />
      {offOrOn('sound')}
      {canVibrate ? offOrOn('vibration') : null}
      {isLit ? null : offOrOn('light')}
    </div>
  );
}

function protectionsOf({ say }: KioskContext, { protections: { passive, light }, attendance }: DeviceStatus): string {
  return [
    passive === 'absent-staff-in-view' ? say('device.passive-off') : say('device.passive-on', { model: passive }),
    say('device.head-turn'),
    ...(light === 'off' ? [] : [say('device.light')]),
    ...(attendance === 'unattended' ? [say('device.unattended')] : []),
  ].join(', ');
}

function factsOf(context: KioskContext, status: DeviceStatus, persisted: boolean | null): readonly Fact[] {
  const { say, language, locale } = context;
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const at = (ms: number | null) => (ms === null ? null : moment.format(ms));
  const count = (many: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(many);
  const { configured, queued, lastDeliveredAtMs } = status.checkIns;
  const tellsCheckIns = configured || queued > 0;
  /** Null: not known, or of no use here. */
  const all: readonly (readonly [TextKey, string | null])[] = [
    ['device.check-ins', tellsCheckIns ? count(queued) : null],
    ['device.check-ins-sent', tellsCheckIns ? at(lastDeliveredAtMs) : null],
    ['device.people', count(status.people)],
    ['device.last-sync', at(status.lastSyncAtMs)],
    ['device.lease', at(status.leaseExpiresAtMs)],
    ['device.deadline', at(status.retentionDeadlineMs)],
    ['device.enrolment', status.enrollmentClosed ? say('device.enrolment-closed') : null],
    ['device.recognition', status.engineIds.join(', ')],
    ['device.speed', status.framesPerSecond === null ? null : count(status.framesPerSecond)],
    ['device.protections', protectionsOf(context, status)],
    ['device.storage', persisted === null ? null : say(persisted ? 'device.storage-kept' : 'device.storage-not-kept')],
  ];
  return all.flatMap(([key, value]) => (value === null ? [] : [{ name: say(key), value }]));
}

/** Command for the operator at the service; the next build of the page then includes the models. */
const INSTALL_COMMAND = 'npm run svc -- models add recommended';

export function NotInstalled() {
  const { say, notInstalled } = useKiosk();
  if (notInstalled.length === 0) return null;
  return (
    <Notice title={say('device.not-installed', { models: notInstalled.join(', ') })}>
      <p>{say('device.install')}</p>
      <p>
        <code>{INSTALL_COMMAND}</code>
      </p>
    </Notice>
  );
}

/** Whether this device can check guests in, or why not. */
export function Readiness({ status }: { readonly status: DeviceStatus }) {
  const { say } = useKiosk();
  const failed = failedSyncText(status);
  if (status.notReady !== null) {
    return status.notReady.reason === 'never-synced' && status.syncing ? (
      <Notice title={say('device.syncing')} />
    ) : (
      <Notice tone="bad" title={say(notReadyText(status.notReady.reason))}>
        {failed === null ? undefined : <p>{say(failed)}</p>}
      </Notice>
    );
  }
  if (status.engineMismatch) return <Notice tone="bad" title={say('scan.mismatch')} />;
  return (
    <Notice tone={failed === null ? 'good' : 'other'} title={say('device.ready')}>
      {failed === null ? undefined : <p>{say(failed)}</p>}
    </Notice>
  );
}

/** For staff: whether this device is ready, and its settings. */
export function DeviceScreen({ status, ways, unpairing, hasPin, pinFailed = false }: ScreenOf<'device'>) {
  const context = useKiosk();
  const { say, dispatch } = context;
  const pairAnother = () => dispatch({ type: 'pair-another-pressed' });
  const [persisted, setPersisted] = useState<boolean | null>(null);
  useEffect(() => {
    void describeWebStorage().then((storage) => setPersisted(storage.persisted));
  }, []);
  return (
    <ScreenFrame name="device" title={say('device.open')}>
      <div aria-live="polite">
        <Readiness status={status} />
      </div>
      <div class="svc-actions">
        <WaysOut status={status} ways={ways} onPairAgain={pairAnother} />
      </div>
      <Facts facts={factsOf(context, status, persisted)} />
      <NotInstalled />
      <section class="stack" aria-labelledby="settings">
        <h2 id="settings">{say('device.settings')}</h2>
        <SettingsForm isLit={status.attendance === 'unattended'} />
      </section>
      <PinSettings hasPin={hasPin} failed={pinFailed} />
      <div class="svc-actions">
        {ways.includes('pair-again') ? null : <Button onPress={pairAnother}>{say('pair.another')}</Button>}
        <Button kind="danger" onPress={() => dispatch({ type: 'unpair-pressed' })}>
          {say('device.unpair')}
        </Button>
      </div>
      {unpairing ? <UnpairQuestion status={status} /> : null}
    </ScreenFrame>
  );
}
