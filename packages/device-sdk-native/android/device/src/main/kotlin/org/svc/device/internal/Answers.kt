package org.svc.device.internal

import org.json.JSONArray
import org.json.JSONObject
import org.svc.device.contract.CheckInQueue
import org.svc.device.contract.DeviceNames
import org.svc.device.contract.DeviceStatus
import org.svc.device.contract.MatchAdmission
import org.svc.device.contract.NotReady
import org.svc.device.contract.Prompt
import org.svc.device.contract.Protections
import org.svc.device.contract.SyncResult
import org.svc.device.contract.VerificationCounts
import org.svc.device.contract.VerificationOutcome
import org.svc.device.contract.VerificationReason
import org.svc.device.contract.VerificationResult
import org.svc.device.contract.VerificationTimings

private const val LONGEST_TEXT = 1024
private val TIMES = -LARGEST_INTEGER..LARGEST_INTEGER
private val COUNTS = 0..LARGEST_INTEGER

/** The page's answers as types. Each throws [org.svc.device.contract.FailureCode.MessageInvalid] for another form. */
internal fun deviceStatusOf(json: JSONObject) = DeviceStatus(
    checkIns = json.inner("checkIns").let {
        CheckInQueue(
            configured = it.flag("configured"),
            queued = it.integer("queued", COUNTS),
            lastDeliveredAtMS = it.time("lastDeliveredAtMs"),
        )
    },
    connection = json.choice("connection"),
    core = json.choice("core"),
    deviceID = json.orNull("deviceId") { json.text(it, LONGEST_TEXT) },
    engineIDS = json.list("engineIds").let { ids ->
        (0 until ids.length()).map { ids.opt(it) as? String ?: throw messageInvalid("an engine has no name") }
    },
    engineMismatch = json.flag("engineMismatch"),
    enrollmentClosed = json.orNull("enrollmentClosed", json::flag),
    erased = json.orNull("erased") { json.choice(it) },
    framesPerSecond = json.orNull("framesPerSecond", json::number),
    headTurnAlternative = json.choice("headTurnAlternative"),
    lastSync = json.orNull("lastSync") { syncResultOf(json.inner(it)) },
    lastSyncAtMS = json.time("lastSyncAtMs"),
    leaseExpiresAtMS = json.time("leaseExpiresAtMs"),
    listID = json.orNull("listId") { json.text(it, LONGEST_TEXT) },
    listVersion = json.count("listVersion"),
    names = json.orNull("names") { name ->
        json.inner(name).let { names ->
            DeviceNames(
                device = names.text("device", LONGEST_TEXT),
                event = names.orNull("event") { names.text(it, LONGEST_TEXT) },
                list = names.text("list", LONGEST_TEXT),
            )
        }
    },
    nextSyncAtMS = json.time("nextSyncAtMs"),
    notReady = json.orNull("notReady") { name ->
        json.inner(name).let { NotReady(outcome = it.choice("outcome"), reason = it.choice("reason")) }
    },
    people = json.integer("people", COUNTS),
    protections = protectionsOf(json.inner("protections")),
    ready = json.flag("ready"),
    reEntry = json.choice("reEntry"),
    retentionDeadlineMS = json.time("retentionDeadlineMs"),
    syncing = json.flag("syncing"),
)

internal fun syncResultOf(json: JSONObject) = SyncResult(
    listVersion = json.ifThere("listVersion") { json.integer(it, COUNTS) },
    ok = json.flag("ok"),
    outcome = json.ifThere("outcome") { json.choice(it) },
    people = json.ifThere("people") { json.integer(it, COUNTS) },
    reason = json.ifThere("reason") { json.choice(it) },
)

internal fun promptOf(json: JSONObject) = Prompt(
    direction = json.ifThere("direction") { json.choice(it) },
    hint = json.ifThere("hint") { json.choice(it) },
    key = json.choice("key"),
    light = json.ifThere("light", json::flag),
    next = json.ifThere("next") { json.choice(it) },
    progress = json.number("progress"),
    remainingMS = json.integer("remainingMs", COUNTS),
)

internal fun verificationResultOf(json: JSONObject): VerificationResult {
    val outcome = json.choice<VerificationOutcome>("outcome")
    val reason = json.choice<VerificationReason>("reason")
    if ((outcome == VerificationOutcome.Match) != (reason in MATCH_REASONS)) throw messageInvalid("another outcome's reason")
    val timings = json.inner("timings")
    val counts = json.inner("counts")
    return VerificationResult(
        admission = json.ifThere("admission") { name ->
            json.inner(name).let {
                MatchAdmission(alreadyAdmittedAtMS = it.time("alreadyAdmittedAtMs"), recorded = it.flag("recorded"))
            }
        },
        alreadyAdmittedAtMS = json.ifThere("alreadyAdmittedAtMs") { json.integer(it, TIMES) },
        counts = VerificationCounts(
            detections = counts.integer("detections", COUNTS),
            embeddings = counts.integer("embeddings", COUNTS),
            framesAnalysed = counts.integer("framesAnalysed", COUNTS),
            framesDropped = counts.integer("framesDropped", COUNTS),
            framesUnscorable = counts.integer("framesUnscorable", COUNTS),
        ),
        outcome = outcome,
        protections = protectionsOf(json.inner("protections")),
        reason = reason,
        timings = VerificationTimings(
            attemptMS = timings.count("attemptMs"),
            cameraStartMS = timings.count("cameraStartMs"),
            frontalMS = timings.count("frontalMs"),
            lightMS = timings.count("lightMs"),
            returnMS = timings.count("returnMs"),
            totalMS = timings.integer("totalMs", COUNTS),
            turnMS = timings.count("turnMs"),
        ),
    )
}

private val MATCH_REASONS =
    setOf(VerificationReason.Verified, VerificationReason.VerifiedByLight, VerificationReason.StaffConfirmed)

private fun protectionsOf(json: JSONObject) = Protections(
    active = json.choice("active"),
    light = json.choice("light"),
    passive = json.choice("passive"),
    passiveCalibration = json.orNull("passiveCalibration") { json.text(it, LONGEST_TEXT) },
)

/** The constant that stands for the text, such as `NoFace` for `NoFace` and `NoSync30Days` for `no-sync-30-days`. */
internal inline fun <reified T : Enum<T>> JSONObject.choice(name: String): T {
    val text = text(name, LONGEST_TEXT)
    return enumValues<T>().find { wireForm(it.name) == wireForm(text) } ?: throw messageInvalid("$name is another word")
}

/** What a constant's name and its text in the contract have in common. */
internal fun wireForm(name: String): String = name.filter { it.isLetterOrDigit() }.lowercase()

internal fun JSONObject.list(name: String): JSONArray =
    member(name) as? JSONArray ?: throw messageInvalid("$name is no list")

private fun JSONObject.number(name: String): Double =
    (member(name) as? Number)?.toDouble() ?: throw messageInvalid("$name is no number")

private fun JSONObject.time(name: String): Long? = orNull(name) { integer(it, TIMES) }

private fun JSONObject.count(name: String): Long? = orNull(name) { integer(it, COUNTS) }
