import type { WebCamera } from '@svc/device-sdk-web';
import { SelectField } from '@svc/ui';
import { nameOfLanguage } from '@svc/ui/text';
import { useEffect, useState } from 'preact/hooks';
import { type KioskContext, useKiosk } from '../app/context.ts';
import { texts } from '../text/index.ts';

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
