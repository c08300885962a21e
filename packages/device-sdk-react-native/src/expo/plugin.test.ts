import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import plugins from '@expo/config-plugins';
import plist from '@expo/plist';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlugin, type SvcDevicePluginOptions } from './plugin.ts';

const fixture = fileURLToPath(new URL('../testing/fixtures/expo', import.meta.url));
const withSvcDevice = createPlugin(plugins);

/** Files of a project as `expo prebuild` makes it, before the mods run, beside the fixture's; and the page. */
const files: Readonly<Record<string, string>> = {
  'android/app/src/main/AndroidManifest.xml': `<manifest xmlns:android="http://schemas.android.com/apk/res/android">
  <uses-permission android:name="android.permission.INTERNET"/>
  <application android:name=".MainApplication" android:label="@string/app_name">
    <activity android:name=".MainActivity" android:exported="true"/>
  </application>
</manifest>
`,
  'android/gradle.properties': 'org.gradle.jvmargs=-Xmx2048m\nnewArchEnabled=true\n',
  'ios/Podfile.properties.json': '{ "expo.jsEngine": "hermes" }\n',
  'ios/Door/Info.plist': plist.build({
    CFBundleIdentifier: '$(PRODUCT_BUNDLE_IDENTIFIER)',
    UIBackgroundModes: ['audio'],
  }),
  'page/assets.json': '{}',
  'page/index.html': '<title></title>',
  'page/a/b.bin': 'x',
};

/** A project in a folder of its own. */
function createProject(): string {
  const project = mkdtempSync(join(tmpdir(), 'svc-expo-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  cpSync(fixture, project, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return project;
}

/** Runs the plugin as `expo prebuild` does. @returns the configuration, and a reader of the project's files */
async function prebuild(project: string, options: Partial<SvcDevicePluginOptions> = {}, config: object = {}) {
  const named = { name: 'Door', slug: 'door', ios: { bundleIdentifier: 'org.example.door' }, ...config };
  const whole = { assets: 'page', ...options };
  // Prebuild writes the app's privacy manifest after the plugins.
  const complete = plugins.IOSConfig.PrivacyInfo.withPrivacyInfo(withSvcDevice(named, whole));
  const done = await plugins.compileModsAsync(complete, {
    projectRoot: project,
    platforms: ['android', 'ios'],
  });
  return { done, read: (path: string) => readFileSync(join(project, path), 'utf8') };
}

describe('the config plugin', () => {
  it('completes both projects', async () => {
    const { read } = await prebuild(createProject());
    expect(read('android/app/src/main/AndroidManifest.xml')).toContain('android.permission.CAMERA');
    expect(read('android/gradle.properties')).toContain('android.minSdkVersion=24');
    expect(read('android/app/src/main/assets/svc-device/a/b.bin')).toBe('x');
    const info = read('ios/Door/Info.plist');
    expect(info).toMatch(/<key>NSCameraUsageDescription<\/key>\s*<string>The camera checks/);
    expect(info).toMatch(/<key>UIBackgroundModes<\/key>\s*<array>\s*<string>audio<\/string>\s*<string>fetch</);
    expect(info).toMatch(/<key>BGTaskSchedulerPermittedIdentifiers<\/key>\s*<array>\s*<string>svc.device.erase</);
    expect(JSON.parse(read('ios/Podfile.properties.json'))['ios.deploymentTarget']).toBe('15.1');
    expect(read('ios/Door/AppDelegate.swift')).toMatch(
      /^import SvcDeviceReactNative\n[\s\S]*-> Bool \{\n {4}SvcUnattendedErasure\.applicationDidLaunch\(\)\n/,
    );
    expect(read('ios/svc-device/a/b.bin')).toBe('x');
    const project = read('ios/Door.xcodeproj/project.pbxproj');
    expect(project).toMatch(/svc-device \*\/ = \{[^}]*lastKnownFileType = folder;/);
    expect(project).toMatch(/svc-device in Resources/);
    expect(project).not.toMatch(/svc-device \*\/ = \{[^}]*undefined/);
  });

  it('declares what the shell declares, and the camera in the words of the option', async () => {
    const { read } = await prebuild(createProject(), { cameraText: 'To let you in' });
    expect(read('ios/Door/Info.plist')).toContain('<string>To let you in</string>');
    const shell = '../../../device-sdk-native/ios/Sources/SvcDevice/Resources/PrivacyInfo.xcprivacy';
    const own = readFileSync(new URL(shell, import.meta.url), 'utf8');
    expect(plist.parse(read('ios/Door/PrivacyInfo.xcprivacy'))).toEqual(plist.parse(own));
  });

  it('changes nothing at the second run, but for the page', async () => {
    const project = createProject();
    const changed = [
      'android/app/src/main/AndroidManifest.xml',
      'android/gradle.properties',
      'ios/Door/Info.plist',
      'ios/Door/AppDelegate.swift',
      'ios/Door.xcodeproj/project.pbxproj',
      'ios/Podfile.properties.json',
    ];
    const first = await prebuild(project);
    const before = changed.map(first.read);
    rmSync(join(project, 'page/a'), { recursive: true });
    const second = await prebuild(project);
    expect(changed.map(second.read)).toEqual(before);
    expect(existsSync(join(project, 'ios/svc-device/a'))).toBe(false);
    expect(existsSync(join(project, 'android/app/src/main/assets/svc-device/a'))).toBe(false);
  });

  it('keeps what the app has: its text, its limits, its own declarations', async () => {
    const project = createProject();
    writeFileSync(join(project, 'android/gradle.properties'), 'android.minSdkVersion=29\n');
    writeFileSync(join(project, 'ios/Podfile.properties.json'), '{ "ios.deploymentTarget": "16.0" }');
    const own = {
      NSPrivacyCollectedDataType: 'NSPrivacyCollectedDataTypeUserID',
      NSPrivacyCollectedDataTypeLinked: true,
      NSPrivacyCollectedDataTypeTracking: true,
      NSPrivacyCollectedDataTypePurposes: ['NSPrivacyCollectedDataTypePurposeAnalytics'],
    };
    const infoPlist = { NSCameraUsageDescription: 'Ours', BGTaskSchedulerPermittedIdentifiers: ['org.example.sync'] };
    const { done, read } = await prebuild(
      project,
      {},
      {
        ios: {
          bundleIdentifier: 'org.example.door',
          infoPlist,
          privacyManifests: { NSPrivacyTracking: true, NSPrivacyCollectedDataTypes: [own] },
        },
      },
    );
    expect(read('android/gradle.properties')).toContain('android.minSdkVersion=29');
    expect(JSON.parse(read('ios/Podfile.properties.json'))['ios.deploymentTarget']).toBe('16.0');
    expect(read('ios/Door/Info.plist')).toContain('<string>Ours</string>');
    expect(read('ios/Door/Info.plist')).toMatch(/<string>org.example.sync<\/string>\s*<string>svc.device.erase</);
    expect(done.ios?.privacyManifests).toMatchObject({
      NSPrivacyTracking: true,
      NSPrivacyCollectedDataTypes: [own, { NSPrivacyCollectedDataType: 'NSPrivacyCollectedDataTypeDeviceID' }],
    });
  });

  it('refuses to go on without the page, or without a place for the call at launch', async () => {
    await expect(prebuild(createProject(), { assets: 'nowhere' })).rejects.toThrow(
      'svc-device-assets nowhere --native',
    );
    const project = createProject();
    writeFileSync(join(project, 'ios/Door/AppDelegate.swift'), 'import UIKit\n');
    await expect(prebuild(project)).rejects.toThrow('SvcUnattendedErasure.applicationDidLaunch()');
    expect(() => withSvcDevice({ name: 'Door', slug: 'door' })).toThrow('the option assets');
  });
});
