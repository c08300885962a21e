package org.svc.device

import org.json.JSONObject
import org.svc.device.contract.CameraFacing
import org.svc.device.contract.LightChallenge
import org.svc.device.contract.PassiveLiveness
import org.svc.device.contract.PromptsBy
import org.svc.device.internal.jsonArrayOf
import org.svc.device.internal.jsonOf
import org.svc.device.internal.wireName

/** Where the service is, and which keys sign for it. */
sealed class SvcRegion {
    /** A region whose address and keys are in the page's build: `EU` or `US`. */
    data class Named(val name: String) : SvcRegion()

    /** A deployment of your own. [signingKeys]: what `svc region show` prints, the current one and the next. */
    data class Own(val baseUrl: String, val signingKeys: List<String>) : SvcRegion()
}

/**
 * Settings of a device.
 * @property deviceToken `svcd_…`, shown once when the device was added to its list
 * @property passiveLiveness whether a passive model has to run, or staff watch every attempt
 * @property maxSyncBytes longest answer of a sync; default 256 MiB
 * @property syncTimeoutMs of each request of a sync with its answer; default two minutes
 * @property language BCP 47, of the page's prompts; default the system's
 * @property prompts whether the page draws the prompts, or the app does with [SvcDevice.prompt]
 * @property store name of the device's own folder and keys: letters, digits and hyphens. One program has one device at a
 * time in each
 */
data class SvcDeviceConfiguration(
    val deviceToken: String,
    val region: SvcRegion,
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

    /** Body of `configure`. */
    internal fun toJson(minor: Int, systemLanguage: String, shell: JSONObject): JSONObject {
        val body = jsonOf(
            "minor" to minor,
            "deviceToken" to deviceToken,
            "region" to when (region) {
                is SvcRegion.Named -> jsonOf("name" to region.name)
                is SvcRegion.Own -> jsonOf("baseUrl" to region.baseUrl, "signingKeys" to jsonArrayOf(region.signingKeys))
            },
            "passiveLiveness" to wireName(passiveLiveness.name),
            "lightChallenge" to wireName(lightChallenge.name),
            "language" to (language ?: systemLanguage),
            "prompts" to wireName(prompts.name),
            "camera" to wireName(camera.name),
            "shell" to shell,
        )
        if (maxSyncBytes != null) body.put("maxSyncBytes", maxSyncBytes)
        if (syncTimeoutMs != null) body.put("syncTimeoutMs", syncTimeoutMs)
        return body
    }
}
