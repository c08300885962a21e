package org.svc.device

import org.svc.device.contract.*
import org.svc.device.internal.CONTRACT_MINOR

private const val LONGEST_LANGUAGE = 35

/**
 * Settings of a device.
 * @property deviceToken `svcd_…`, shown once when the device was added to its list
 * @property region a named region, or a deployment of your own: `Region(baseUrl = …, signingKeys = …)` with what
 * `svc region show` prints
 * @property passiveLiveness whether a passive model has to run, or staff watch every attempt
 * @property maxSyncBytes longest answer of a sync; default 256 MiB
 * @property syncTimeoutMs of each request of a sync with its answer; default two minutes
 * @property language BCP 47, of the page's prompts; default the system's
 * @property prompts whether the page draws the prompts, or the app does with [SvcDevice.prompt]
 * @property store name of the device's own folder and keys: letters, digits and hyphens. Each has one device at
 * a time
 */
data class SvcDeviceConfiguration(
    val deviceToken: String,
    val region: Region,
    val passiveLiveness: PassiveLiveness = PassiveLiveness.Required,
    val lightChallenge: LightChallenge = LightChallenge.Off,
    val maxSyncBytes: Long? = null,
    val syncTimeoutMs: Long? = null,
    val language: String? = null,
    val prompts: PromptsBy = PromptsBy.Page,
    val camera: CameraFacing = CameraFacing.User,
    val store: String = "device",
) {
    /** Without the token. */
    override fun toString(): String = "SvcDeviceConfiguration(region=$region, store=$store)"

    internal fun toRequest(systemLanguage: String, shell: ShellInfo) = ConfigureRequest(
        minor = CONTRACT_MINOR,
        deviceToken = deviceToken,
        region = region,
        passiveLiveness = passiveLiveness,
        lightChallenge = lightChallenge,
        maxSyncBytes = maxSyncBytes,
        syncTimeoutMs = syncTimeoutMs,
        language = language ?: systemLanguage.takeIf { it.length <= LONGEST_LANGUAGE },
        prompts = prompts,
        camera = camera,
        shell = shell,
    )
}
