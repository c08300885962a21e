import type { DeviceStatus } from '@svc/device-sdk';
import type { WebCamera } from '@svc/device-sdk-web';
import { nameOfLanguage } from '@svc/page-kit';
import { Button, type Fact, Facts, Notice, ScreenFrame, SelectField } from '@svc/ui';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../text/index.ts';
import { notReadyText, syncFailureText } from '../text/reasons.ts';
import { type KioskContext, useKiosk } from './context.ts';
import { PinSettings } from './pin-screen.tsx';
import { UnpairQuestion } from './stopped-screens.tsx';

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

export function SettingsForm() {
  const context = useKiosk();
  const { say, language, preferences, prefer, listCameras, canVibrate } = context;
  const [cameras, setCameras] = useState<readonly WebCamera[]>([]);
  useEffect(() => {
    void listCameras().then(setCameras);
  }, [listCameras]);
  const { codeCamera, faceCamera, theme, sound, vibration, light } = preferences;
  const offOn = [
    { value: 'off', text: say('settings.off') },
    { value: 'on', text: say('settings.on') },
  ];
  return (
    <div class="settings">
      <SelectField
        label={say('settings.language')}
        value={language}
        options={texts.languages.map((value) => ({ value, text: nameOfLanguage(value), lang: value }))}
        onSelect={(value) => prefer({ language: value })}
      />
      <SelectField
        label={say('settings.theme')}
        value={theme}
        options={(['system', 'light', 'dark'] as const).map((value) => ({
          value,
          text: say(`settings.theme-${value}`),
        }))}
        onSelect={(value) => prefer({ theme: value })}
      />
      <SelectField
        label={say('settings.sound')}
        value={sound ? 'on' : 'off'}
        options={offOn}
        onSelect={(value) => prefer({ sound: value === 'on' })}
      />
      {canVibrate ? (
        <SelectField
          label={say('settings.vibration')}
          value={vibration ? 'on' : 'off'}
          options={offOn}
          onSelect={(value) => prefer({ vibration: value === 'on' })}
        />
      ) : null}
      <SelectField
        label={say('settings.light')}
        value={light ? 'on' : 'off'}
        options={offOn}
        onSelect={(value) => prefer({ light: value === 'on' })}
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
    </div>
  );
}

/** Where this device is used, and what it has told the organiser's system. */
function listFactsOf(
  { say, language }: KioskContext,
  status: DeviceStatus,
  at: (ms: number | null) => string,
): readonly Fact[] {
  const { names, checkIns } = status;
  const { configured, queued, lastDeliveredAtMs } = checkIns;
  return [
    ...(names === null
      ? []
      : [
          ...(names.event === null ? [] : [{ name: say('device.event'), value: names.event }]),
          { name: say('device.list'), value: names.list },
          { name: say('device.name'), value: names.device },
        ]),
    ...(configured || queued > 0
      ? [
          { name: say('device.check-ins'), value: new Intl.NumberFormat(language).format(queued) },
          { name: say('device.check-ins-sent'), value: at(lastDeliveredAtMs) },
        ]
      : []),
  ];
}

function speedOf({ say, language }: KioskContext, framesPerSecond: number, core: DeviceStatus['core']): string {
  const frames = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(framesPerSecond);
  return core === 'simd' ? frames : say('device.speed-scalar', { frames });
}

function factsOf(context: KioskContext, status: DeviceStatus, persisted: boolean | null): readonly Fact[] {
  const { say, language, locale } = context;
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const at = (ms: number | null) => (ms === null ? say('device.never') : moment.format(ms));
  const { enrollmentClosed, protections } = status;
  return [
    ...listFactsOf(context, status, at),
    { name: say('device.people'), value: new Intl.NumberFormat(language).format(status.people) },
    { name: say('device.connection'), value: say(`device.${status.connection}`) },
    { name: say('device.last-sync'), value: at(status.lastSyncAtMs) },
    ...(status.leaseExpiresAtMs === null ? [] : [{ name: say('device.lease'), value: at(status.leaseExpiresAtMs) }]),
    ...(status.retentionDeadlineMs === null
      ? []
      : [{ name: say('device.deadline'), value: at(status.retentionDeadlineMs) }]),
    ...(status.listVersion === null ? [] : [{ name: say('device.list-version'), value: String(status.listVersion) }]),
    ...(enrollmentClosed === null
      ? []
      : [
          {
            name: say('device.enrolment'),
            value: say(enrollmentClosed ? 'device.enrolment-closed' : 'device.enrolment-open'),
          },
        ]),
    { name: say('device.recognition'), value: status.engineIds.join(', ') },
    ...(status.framesPerSecond === null
      ? []
      : [{ name: say('device.speed'), value: speedOf(context, status.framesPerSecond, status.core) }]),
    {
      name: say('device.protections'),
      value: [
        protections.passive === 'absent-staff-in-view'
          ? say('device.passive-off')
          : say('device.passive-on', { model: protections.passive }),
        say('device.head-turn'),
        ...(protections.light === 'off' ? [] : [say('device.light')]),
      ].join(', '),
    },
    ...(persisted === null
      ? []
      : [
          {
            name: say('device.storage'),
            value: say(persisted ? 'device.storage-kept' : 'device.storage-not-kept'),
          },
        ]),
  ];
}

/** Command for the operator at the service; the next build of the page then includes the models. */
const INSTALL_COMMAND = 'npm run svc -- models add recommended';

function NotInstalled() {
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

function Readiness({ status }: { readonly status: DeviceStatus }) {
  const { say } = useKiosk();
  const failed = status.lastSync?.ok === false ? syncFailureText(status.lastSync.reason) : null;
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
export function DeviceScreen({
  status,
  unpairing,
  hasPin,
  pinFailed,
}: {
  readonly status: DeviceStatus;
  readonly unpairing: boolean;
  readonly hasPin: boolean;
  readonly pinFailed: boolean;
}) {
  const context = useKiosk();
  const { say, dispatch, describeStorage } = context;
  const [persisted, setPersisted] = useState<boolean | null>(null);
  useEffect(() => {
    void describeStorage().then((storage) => setPersisted(storage.persisted));
  }, [describeStorage]);
  return (
    <ScreenFrame name="device" title={say('device.title')}>
      <div aria-live="polite">
        <Readiness status={status} />
      </div>
      <div class="svc-actions">
        <Button kind="primary" onPress={() => dispatch({ type: 'door-pressed' })}>
          {say('device.to-door')}
        </Button>
        <Button onPress={() => dispatch({ type: 'sync-pressed' })} busy={status.syncing}>
          {say(status.syncing ? 'device.syncing' : 'device.sync')}
        </Button>
      </div>
      <Facts facts={factsOf(context, status, persisted)} />
      <NotInstalled />
      <section class="stack" aria-labelledby="settings">
        <h2 id="settings">{say('device.settings')}</h2>
        <SettingsForm />
      </section>
      <PinSettings hasPin={hasPin} failed={pinFailed} />
      <div class="svc-actions">
        <Button onPress={() => dispatch({ type: 'pair-another-pressed' })}>{say('pair.another')}</Button>
        <Button kind="danger" onPress={() => dispatch({ type: 'unpair-pressed' })}>
          {say('device.unpair')}
        </Button>
      </div>
      {unpairing ? <UnpairQuestion status={status} /> : null}
    </ScreenFrame>
  );
}
