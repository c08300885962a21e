import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as ConfigPlugins from '@expo/config-plugins';

/** Options of the config plugin. */
export interface SvcDevicePluginOptions {
  /** The folder that `svc-device-assets FOLDER --native` wrote, relative to the project: it goes into both apps. */
  readonly assets: string;
  /** Why the camera is used, for iOS to show; an app's own text in Info.plist comes second, ours last. */
  readonly cameraText?: string;
}

const MINIMUM_ANDROID_API = 24;
const MINIMUM_IOS = '15.1';
/** Of the shell's background task, which deletes face data at its deadline. */
const ERASURE_TASK = 'svc.device.erase';
/** The name under which the shells look for the assets. */
const ASSETS = 'svc-device';
const CAMERA_TEXT = 'The camera checks that you are the person on the guest list.';
const POD = 'SvcDeviceReactNative';

/** As in the shell's PrivacyInfo.xcprivacy, which Apple does not read in a pod that is linked statically. */
const COLLECTED = ['NSPrivacyCollectedDataTypeDeviceID', 'NSPrivacyCollectedDataTypeUserID'];

type Plist = Record<string, unknown>;
type PrivacyManifest = NonNullable<NonNullable<Parameters<ConfigPlugins.ConfigPlugin>[0]['ios']>['privacyManifests']>;

const withItem = (list: unknown, item: string): readonly string[] => {
  const items: string[] = Array.isArray(list) ? list : [];
  return items.includes(item) ? items : [...items, item];
};

/** Info.plist with the camera's text and the background task; what the app has stays. */
function completeInfoPlist<P extends Plist>(plist: P, cameraText: string | undefined): P {
  return {
    ...plist,
    NSCameraUsageDescription: cameraText ?? plist.NSCameraUsageDescription ?? CAMERA_TEXT,
    UIBackgroundModes: withItem(plist.UIBackgroundModes, 'fetch'),
    BGTaskSchedulerPermittedIdentifiers: withItem(plist.BGTaskSchedulerPermittedIdentifiers, ERASURE_TASK),
  };
}

/** The app's privacy manifest with what the shell's declares; what the app declares of the same type stays. */
function completePrivacyManifest(own: PrivacyManifest): PrivacyManifest {
  const types = own.NSPrivacyCollectedDataTypes ?? [];
  const missing = COLLECTED.filter((name) => types.every((type) => type.NSPrivacyCollectedDataType !== name));
  const added = missing.map((name) => ({
    NSPrivacyCollectedDataType: name,
    NSPrivacyCollectedDataTypeLinked: true,
    NSPrivacyCollectedDataTypeTracking: false,
    NSPrivacyCollectedDataTypePurposes: ['NSPrivacyCollectedDataTypePurposeAppFunctionality'],
  }));
  return {
    NSPrivacyTracking: false,
    NSPrivacyTrackingDomains: [],
    NSPrivacyAccessedAPITypes: [],
    ...own,
    NSPrivacyCollectedDataTypes: [...types, ...added],
  };
}

/** Whether a version such as `15.1` is at least another. */
function isAtLeast(version: string, minimum: string): boolean {
  const [ours, theirs] = [version, minimum].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [index, least] of theirs.entries()) {
    const part = ours[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/**
 * AppDelegate.swift with the shell's call, which deletes what is due before anything else at each launch.
 * @throws Error where the method is not found
 */
function completeAppDelegate(source: string): string {
  if (source.includes('SvcUnattendedErasure.applicationDidLaunch()')) return source;
  const launch = /didFinishLaunchingWithOptions[\s\S]*?-> Bool \{\n/;
  const firstImport = /^(?:internal )?import /m;
  if (!launch.test(source) || !firstImport.test(source))
    throw new Error(`AppDelegate.swift has no didFinishLaunchingWithOptions: import ${POD}, and call \
SvcUnattendedErasure.applicationDidLaunch() first when the app launches`);
  return source
    .replace(firstImport, `import ${POD}\n$&`)
    .replace(launch, '$&    SvcUnattendedErasure.applicationDidLaunch()\n');
}

/** @throws Error if the folder is not one of `svc-device-assets --native` */
function copyAssets(projectRoot: string, assets: string, to: string): void {
  const from = join(projectRoot, assets);
  if (!existsSync(join(from, 'assets.json')) || !existsSync(join(from, 'index.html')))
    throw new Error(`${assets} is no folder of the page: npx svc-device-assets ${assets} --native`);
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

/** @param plugins Expo's `expo/config-plugins`, of the version that the app has */
export function createPlugin(plugins: typeof ConfigPlugins) {
  const withAndroid: ConfigPlugins.ConfigPlugin<SvcDevicePluginOptions> = (config, { assets }) => {
    const permitted = plugins.AndroidConfig.Permissions.withPermissions(config, ['android.permission.CAMERA']);
    const limited = plugins.withGradleProperties(permitted, (mod) => {
      const key = 'android.minSdkVersion';
      const others = mod.modResults.filter((line) => line.type !== 'property' || line.key !== key);
      const own = mod.modResults.flatMap((line) => (line.type === 'property' && line.key === key ? [line.value] : []));
      const value = String(Math.max(MINIMUM_ANDROID_API, ...own.map(Number)));
      mod.modResults = [...others, { type: 'property', key, value }];
      return mod;
    });
    return plugins.withDangerousMod(limited, [
      'android',
      (mod) => {
        const { platformProjectRoot, projectRoot } = mod.modRequest;
        copyAssets(projectRoot, assets, join(platformProjectRoot, 'app/src/main/assets', ASSETS));
        return mod;
      },
    ]);
  };

  const withIos: ConfigPlugins.ConfigPlugin<SvcDevicePluginOptions> = (config, { assets, cameraText }) => {
    const declared = {
      ...config,
      ios: {
        ...config.ios,
        privacyManifests: completePrivacyManifest(config.ios?.privacyManifests ?? {}),
      },
    };
    const told = plugins.withInfoPlist(declared, (mod) => {
      mod.modResults = completeInfoPlist(mod.modResults, cameraText);
      return mod;
    });
    const limited = plugins.withPodfileProperties(told, (mod) => {
      const key = 'ios.deploymentTarget';
      const own = mod.modResults[key];
      if (typeof own !== 'string' || !isAtLeast(own, MINIMUM_IOS)) mod.modResults[key] = MINIMUM_IOS;
      return mod;
    });
    const launched = plugins.withAppDelegate(limited, (mod) => {
      mod.modResults.contents = completeAppDelegate(mod.modResults.contents);
      return mod;
    });
    const copied = plugins.withDangerousMod(launched, [
      'ios',
      (mod) => {
        const { platformProjectRoot, projectRoot } = mod.modRequest;
        copyAssets(projectRoot, assets, join(platformProjectRoot, ASSETS));
        return mod;
      },
    ]);
    return plugins.withXcodeProject(copied, (mod) => {
      const project = mod.modResults;
      if (project.hasFile(ASSETS)) return mod;
      plugins.IOSConfig.XcodeUtils.ensureGroupRecursively(project, 'Resources');
      // A reference to the folder, so that the app's bundle keeps its paths.
      const added = project.addResourceFile(ASSETS, {
        target: project.getFirstTarget().uuid,
        lastKnownFileType: 'folder',
      });
      // The library writes members that it does not know as `undefined`.
      const reference = project.pbxFileReferenceSection()[added.fileRef];
      for (const [name, value] of Object.entries(reference)) if (value === undefined) delete reference[name];
      return mod;
    });
  };

  return (config: Parameters<typeof withIos>[0], options?: SvcDevicePluginOptions) => {
    if (typeof options?.assets !== 'string')
      throw new Error('@svc/device-sdk-react-native: the option assets names the folder of svc-device-assets --native');
    return withIos(withAndroid(config, options), options);
  };
}
