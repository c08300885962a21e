// Written by scripts/prepare-sources.ts from contract/v1.schema.json.

package org.svc.device.contract

import org.json.JSONArray
import org.json.JSONObject

/** Why a request failed. */
enum class FailureCode(val value: String) {
    ConfigurationInvalid("configuration-invalid"),
    PassiveLivenessMissing("passive-liveness-missing"),
    DeviceInUse("device-in-use"),
    StorageFailed("storage-failed"),
    OpenFailed("open-failed"),
    ModelMissing("model-missing"),
    ModelMismatch("model-mismatch"),
    GoldenMismatch("golden-mismatch"),
    RuntimeFailed("runtime-failed"),
    WebassemblyMissing("webassembly-missing"),
    WebviewTooOld("webview-too-old"),
    TooSlow("too-slow"),
    CameraDenied("camera-denied"),
    Offline("offline"),
    Cancelled("cancelled"),
    NotConfigured("not-configured"),
    Busy("busy"),
    Disposed("disposed"),
    MessageInvalid("message-invalid"),
    UnknownName("unknown-name"),
    VersionUnsupported("version-unsupported"),
    TooLarge("too-large"),
    Timeout("timeout"),
    RendererGone("renderer-gone");

    companion object {
        fun of(value: String): FailureCode = values().first { it.value == value }
    }
}

/** Body of a failure and of the event `fault`. The message is English, for developers; it has no secret, no id of a person, no score and no picture. */
data class Failure(
    val code: FailureCode,
    val message: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("code", code.value)
        json.put("message", message)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Failure = Failure(
            code = FailureCode.of(json.get("code") as String),
            message = json.get("message") as String,
        )
    }
}

/** The shell’s platform. */
enum class Platform(val value: String) {
    Android("android"),
    Ios("ios"),
    ReactNative("react-native"),
    Flutter("flutter"),
    Maui("maui"),
    Test("test");

    companion object {
        fun of(value: String): Platform = values().first { it.value == value }
    }
}

/** What the shell is. */
data class ShellInfo(
    val platform: Platform,
    val version: String,
    val osVersion: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("platform", platform.value)
        json.put("version", version)
        json.put("osVersion", osVersion)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ShellInfo = ShellInfo(
            platform = Platform.of(json.get("platform") as String),
            version = json.get("version") as String,
            osVersion = json.get("osVersion") as String,
        )
    }
}

/** A named region, whose address and keys are in the build. */
enum class RegionName(val value: String) {
    Eu("EU"),
    Us("US");

    companion object {
        fun of(value: String): RegionName = values().first { it.value == value }
    }
}

/** A named region, or a deployment’s own address with its signing keys: Ed25519, the current one and the next. */
data class Region(
    val name: RegionName? = null,
    val baseUrl: String? = null,
    val signingKeys: List<String>? = null,
) {
    init {
        require((name != null) || (baseUrl != null && signingKeys != null)) {
            "its members do not belong together"
        }
    }

    fun toJson(): JSONObject {
        val json = JSONObject()
        name?.let { json.put("name", it.value) }
        baseUrl?.let { json.put("baseUrl", it) }
        signingKeys?.let { json.put("signingKeys", JSONArray(it.map { it })) }
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Region = Region(
            name = if (json.isNull("name")) null else RegionName.of(json.get("name") as String),
            baseUrl = if (json.isNull("baseUrl")) null else json.get("baseUrl") as String,
            signingKeys = if (json.isNull("signingKeys")) null else (json.get("signingKeys") as JSONArray).let { all -> List(all.length()) { all.get(it) as String } },
        )
    }
}

/** Whether a passive model has to run, or staff watch every attempt. */
enum class PassiveLiveness(val value: String) {
    Required("required"),
    AbsentStaffInView("absent-staff-in-view");

    companion object {
        fun of(value: String): PassiveLiveness = values().first { it.value == value }
    }
}

/** Whether the light challenge runs where the camera has a screen light. */
enum class LightChallenge(val value: String) {
    Off("off"),
    WhenPossible("when-possible");

    companion object {
        fun of(value: String): LightChallenge = values().first { it.value == value }
    }
}

/** Who draws the prompts: the page, or the host app. */
enum class PromptsBy(val value: String) {
    Page("page"),
    Host("host");

    companion object {
        fun of(value: String): PromptsBy = values().first { it.value == value }
    }
}

/** Which camera. */
enum class CameraFacing(val value: String) {
    User("user"),
    Environment("environment");

    companion object {
        fun of(value: String): CameraFacing = values().first { it.value == value }
    }
}

/** The first request of a session. */
data class ConfigureRequest(
    val minor: Long,
    /** `svcd_…`, shown once when the device was added. */
    val deviceToken: String,
    val region: Region,
    val passiveLiveness: PassiveLiveness,
    val lightChallenge: LightChallenge,
    /** Maximum size of a sync answer; 256 MiB if absent. */
    val maxSyncBytes: Long? = null,
    /** Of each sync request with its answer; two minutes if absent. */
    val syncTimeoutMs: Long? = null,
    /** Of the page’s prompts, BCP 47; the system’s if absent. */
    val language: String? = null,
    val prompts: PromptsBy,
    val camera: CameraFacing,
    val shell: ShellInfo,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("minor", minor)
        json.put("deviceToken", deviceToken)
        json.put("region", region.toJson())
        json.put("passiveLiveness", passiveLiveness.value)
        json.put("lightChallenge", lightChallenge.value)
        maxSyncBytes?.let { json.put("maxSyncBytes", it) }
        syncTimeoutMs?.let { json.put("syncTimeoutMs", it) }
        language?.let { json.put("language", it) }
        json.put("prompts", prompts.value)
        json.put("camera", camera.value)
        json.put("shell", shell.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ConfigureRequest = ConfigureRequest(
            minor = (json.get("minor") as Number).toLong(),
            deviceToken = json.get("deviceToken") as String,
            region = Region.fromJson(json.get("region") as JSONObject),
            passiveLiveness = PassiveLiveness.of(json.get("passiveLiveness") as String),
            lightChallenge = LightChallenge.of(json.get("lightChallenge") as String),
            maxSyncBytes = if (json.isNull("maxSyncBytes")) null else (json.get("maxSyncBytes") as Number).toLong(),
            syncTimeoutMs = if (json.isNull("syncTimeoutMs")) null else (json.get("syncTimeoutMs") as Number).toLong(),
            language = if (json.isNull("language")) null else json.get("language") as String,
            prompts = PromptsBy.of(json.get("prompts") as String),
            camera = CameraFacing.of(json.get("camera") as String),
            shell = ShellInfo.fromJson(json.get("shell") as JSONObject),
        )
    }
}

/** Body of the event `status` and of the answers to `configure` and `status`. */
data class StatusBody(
    val status: DeviceStatus,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("status", status.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): StatusBody = StatusBody(
            status = DeviceStatus.fromJson(json.get("status") as JSONObject),
        )
    }
}

/** Answer to `sync`. */
data class SyncAnswer(
    val result: SyncResult,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("result", result.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SyncAnswer = SyncAnswer(
            result = SyncResult.fromJson(json.get("result") as JSONObject),
        )
    }
}

/** Whether the head turn is asked for, or the list’s alternative. */
enum class HeadTurn(val value: String) {
    Asked("asked"),
    Alternative("alternative");

    companion object {
        fun of(value: String): HeadTurn = values().first { it.value == value }
    }
}

/** Starts an attempt. */
data class VerifyRequest(
    val attempt: String,
    val scannedId: String,
    val headTurn: HeadTurn,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("attempt", attempt)
        json.put("scannedId", scannedId)
        json.put("headTurn", headTurn.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): VerifyRequest = VerifyRequest(
            attempt = json.get("attempt") as String,
            scannedId = json.get("scannedId") as String,
            headTurn = HeadTurn.of(json.get("headTurn") as String),
        )
    }
}

/** Answer to `verify`. */
data class VerifyAnswer(
    val result: VerificationResult,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("result", result.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): VerifyAnswer = VerifyAnswer(
            result = VerificationResult.fromJson(json.get("result") as JSONObject),
        )
    }
}

/** Body of `cancel` and `confirmByStaff`. */
data class AttemptRequest(
    val attempt: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("attempt", attempt)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): AttemptRequest = AttemptRequest(
            attempt = json.get("attempt") as String,
        )
    }
}

/** Body of `takeBackAdmission`. */
data class TakeBackRequest(
    val scannedId: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("scannedId", scannedId)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TakeBackRequest = TakeBackRequest(
            scannedId = json.get("scannedId") as String,
        )
    }
}

/** Whether there was an admission to take back. */
enum class TakeBackOutcome(val value: String) {
    TakenBack("taken-back"),
    NotAdmitted("not-admitted");

    companion object {
        fun of(value: String): TakeBackOutcome = values().first { it.value == value }
    }
}

/** Answer to `takeBackAdmission`. */
data class TakeBackAnswer(
    val outcome: TakeBackOutcome,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("outcome", outcome.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TakeBackAnswer = TakeBackAnswer(
            outcome = TakeBackOutcome.of(json.get("outcome") as String),
        )
    }
}

/** State of the host app. */
enum class LifecycleState(val value: String) {
    Foreground("foreground"),
    Background("background"),
    LowMemory("low-memory");

    companion object {
        fun of(value: String): LifecycleState = values().first { it.value == value }
    }
}

/** Body of `lifecycle`. */
data class LifecycleRequest(
    val state: LifecycleState,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("state", state.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): LifecycleRequest = LifecycleRequest(
            state = LifecycleState.of(json.get("state") as String),
        )
    }
}

/** The first message of a session; the session is also in its envelope. */
data class Hello(
    val minor: Long,
    val sdkVersion: String,
    val session: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("minor", minor)
        json.put("sdkVersion", sdkVersion)
        json.put("session", session)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Hello = Hello(
            minor = (json.get("minor") as Number).toLong(),
            sdkVersion = json.get("sdkVersion") as String,
            session = json.get("session") as String,
        )
    }
}

/** Body of the event `prompt`. Null: the attempt ended. */
data class PromptEvent(
    val attempt: String,
    val prompt: Prompt? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("attempt", attempt)
        json.put("prompt", prompt?.let { it.toJson() } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): PromptEvent = PromptEvent(
            attempt = json.get("attempt") as String,
            prompt = if (json.isNull("prompt")) null else Prompt.fromJson(json.get("prompt") as JSONObject),
        )
    }
}

/** What the person is asked to do. */
enum class PromptKey(val value: String) {
    LookAtCamera("look-at-camera"),
    StepIntoView("step-into-view"),
    TurnHead("turn-head"),
    StaffConfirms("staff-confirms"),
    LookBack("look-back"),
    OnePersonOnly("one-person-only"),
    Finished("finished");

    companion object {
        fun of(value: String): PromptKey = values().first { it.value == value }
    }
}

/** A hint for a better view of the face, shown beside the prompt. */
enum class PromptHint(val value: String) {
    StepBack("step-back"),
    ComeCloser("come-closer"),
    MoreLight("more-light"),
    LessLight("less-light"),
    HoldStill("hold-still");

    companion object {
        fun of(value: String): PromptHint = values().first { it.value == value }
    }
}

/** Direction from the person’s own point of view. */
enum class TurnDirection(val value: String) {
    Left("left"),
    Right("right");

    companion object {
        fun of(value: String): TurnDirection = values().first { it.value == value }
    }
}

/** A check that follows if the face matches. */
enum class AnnouncedCheck(val value: String) {
    Light("light");

    companion object {
        fun of(value: String): AnnouncedCheck = values().first { it.value == value }
    }
}

/** The current instruction to the person. */
data class Prompt(
    val key: PromptKey,
    /** Only with `turn-head`. */
    val direction: TurnDirection? = null,
    /** Absent if nothing needs to change. */
    val hint: PromptHint? = null,
    /** True while the screen shows the colours of the light challenge: the person looks and holds still. */
    val light: Boolean? = null,
    /** The colours of the light challenge follow if the face matches: announce them. */
    val next: AnnouncedCheck? = null,
    /** Of the whole attempt, in steps of a twentieth; never reveals a score. */
    val progress: Double,
    /** Of the ten seconds; the whole window until the first frame. */
    val remainingMs: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("key", key.value)
        direction?.let { json.put("direction", it.value) }
        hint?.let { json.put("hint", it.value) }
        light?.let { json.put("light", it) }
        next?.let { json.put("next", it.value) }
        json.put("progress", progress)
        json.put("remainingMs", remainingMs)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Prompt = Prompt(
            key = PromptKey.of(json.get("key") as String),
            direction = if (json.isNull("direction")) null else TurnDirection.of(json.get("direction") as String),
            hint = if (json.isNull("hint")) null else PromptHint.of(json.get("hint") as String),
            light = if (json.isNull("light")) null else json.get("light") as Boolean,
            next = if (json.isNull("next")) null else AnnouncedCheck.of(json.get("next") as String),
            progress = (json.get("progress") as Number).toDouble(),
            remainingMs = (json.get("remainingMs") as Number).toLong(),
        )
    }
}

/** Outcome of an attempt. */
enum class VerificationOutcome(val value: String) {
    Match("Match"),
    NotEnrolled("NotEnrolled"),
    LeaseExpired("LeaseExpired"),
    Expired("Expired"),
    LivenessFailed("LivenessFailed"),
    ChallengeFailed("ChallengeFailed"),
    NoMatch("NoMatch"),
    NoFace("NoFace");

    companion object {
        fun of(value: String): VerificationOutcome = values().first { it.value == value }
    }
}

/** Reason of an outcome. */
enum class VerificationReason(val value: String) {
    Verified("verified"),
    VerifiedByLight("verified-by-light"),
    StaffConfirmed("staff-confirmed"),
    NotOnList("not-on-list"),
    IDInvalid("id-invalid"),
    RecordUnopenable("record-unopenable"),
    EngineMismatch("engine-mismatch"),
    RecordChanged("record-changed"),
    NeverSynced("never-synced"),
    LeaseExpired("lease-expired"),
    ClockBehind("clock-behind"),
    DeviceRevoked("device-revoked"),
    ListDeleted("list-deleted"),
    AccountSuspended("account-suspended"),
    NoSync30Days("no-sync-30-days"),
    StateUntrusted("state-untrusted"),
    StorageFailed("storage-failed"),
    TooSlow("too-slow"),
    ListDeadline("list-deadline"),
    PersonDeadline("person-deadline"),
    AttackFrame("attack-frame"),
    PassiveBelowThreshold("passive-below-threshold"),
    NeverScorable("never-scorable"),
    TooFewScoredFrames("too-few-scored-frames"),
    LightNotAnswered("light-not-answered"),
    LightNotHeld("light-not-held"),
    WrongWay("wrong-way"),
    FaceLost("face-lost"),
    FaceSwapped("face-swapped"),
    TurnNotMade("turn-not-made"),
    NoParallax("no-parallax"),
    Narrowed("narrowed"),
    NotLookedBack("not-looked-back"),
    NoAlternative("no-alternative"),
    StaffNotConfirmed("staff-not-confirmed"),
    SeveralFaces("several-faces"),
    CameraDenied("camera-denied"),
    CameraFailed("camera-failed"),
    EngineFailed("engine-failed"),
    Cancelled("cancelled"),
    BelowThreshold("below-threshold"),
    SecondBelowThreshold("second-below-threshold"),
    NotFrontal("not-frontal"),
    WindowEnded("window-ended"),
    NoFace("no-face"),
    NoFrames("no-frames"),
    AttemptInProgress("attempt-in-progress"),
    Disposed("disposed"),
    AlreadyLetIn("already-let-in");

    companion object {
        fun of(value: String): VerificationReason = values().first { it.value == value }
    }
}

/** The model of the passive check, or the operator’s declaration that staff watch. */
enum class PassiveCheck(val value: String) {
    Minifasnet("minifasnet"),
    AbsentStaffInView("absent-staff-in-view");

    companion object {
        fun of(value: String): PassiveCheck = values().first { it.value == value }
    }
}

/** The check after the first match. */
enum class ActiveCheck(val value: String) {
    HeadTurn("head-turn"),
    Light("light"),
    Staff("staff");

    companion object {
        fun of(value: String): ActiveCheck = values().first { it.value == value }
    }
}

/** What became of the light challenge. */
enum class LightProtection(val value: String) {
    Off("off"),
    WhenPossible("when-possible"),
    Answered("answered"),
    NotAnswered("not-answered"),
    Abstained("abstained");

    companion object {
        fun of(value: String): LightProtection = values().first { it.value == value }
    }
}

/** Protections that were active for the outcome. */
data class Protections(
    val passive: PassiveCheck,
    /** Version of the passive score’s calibration; null without a passive check. */
    val passiveCalibration: String? = null,
    val active: ActiveCheck,
    val light: LightProtection,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("passive", passive.value)
        json.put("passiveCalibration", passiveCalibration?.let { it } ?: JSONObject.NULL)
        json.put("active", active.value)
        json.put("light", light.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Protections = Protections(
            passive = PassiveCheck.of(json.get("passive") as String),
            passiveCalibration = if (json.isNull("passiveCalibration")) null else json.get("passiveCalibration") as String,
            active = ActiveCheck.of(json.get("active") as String),
            light = LightProtection.of(json.get("light") as String),
        )
    }
}

/** Durations; null for stages that were not reached. */
data class VerificationTimings(
    /** From call to result. */
    val totalMs: Long,
    /** From the camera request to the first frame. */
    val cameraStartMs: Long? = null,
    /** From first frame to verdict: at most the window of ten seconds. */
    val attemptMs: Long? = null,
    val frontalMs: Long? = null,
    val lightMs: Long? = null,
    val turnMs: Long? = null,
    val returnMs: Long? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("totalMs", totalMs)
        json.put("cameraStartMs", cameraStartMs?.let { it } ?: JSONObject.NULL)
        json.put("attemptMs", attemptMs?.let { it } ?: JSONObject.NULL)
        json.put("frontalMs", frontalMs?.let { it } ?: JSONObject.NULL)
        json.put("lightMs", lightMs?.let { it } ?: JSONObject.NULL)
        json.put("turnMs", turnMs?.let { it } ?: JSONObject.NULL)
        json.put("returnMs", returnMs?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): VerificationTimings = VerificationTimings(
            totalMs = (json.get("totalMs") as Number).toLong(),
            cameraStartMs = if (json.isNull("cameraStartMs")) null else (json.get("cameraStartMs") as Number).toLong(),
            attemptMs = if (json.isNull("attemptMs")) null else (json.get("attemptMs") as Number).toLong(),
            frontalMs = if (json.isNull("frontalMs")) null else (json.get("frontalMs") as Number).toLong(),
            lightMs = if (json.isNull("lightMs")) null else (json.get("lightMs") as Number).toLong(),
            turnMs = if (json.isNull("turnMs")) null else (json.get("turnMs") as Number).toLong(),
            returnMs = if (json.isNull("returnMs")) null else (json.get("returnMs") as Number).toLong(),
        )
    }
}

/** Counters of the attempt. */
data class VerificationCounts(
    val framesAnalysed: Long,
    /** Frames skipped because a newer one arrived while the device was busy. */
    val framesDropped: Long,
    val framesUnscorable: Long,
    val embeddings: Long,
    val detections: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("framesAnalysed", framesAnalysed)
        json.put("framesDropped", framesDropped)
        json.put("framesUnscorable", framesUnscorable)
        json.put("embeddings", embeddings)
        json.put("detections", detections)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): VerificationCounts = VerificationCounts(
            framesAnalysed = (json.get("framesAnalysed") as Number).toLong(),
            framesDropped = (json.get("framesDropped") as Number).toLong(),
            framesUnscorable = (json.get("framesUnscorable") as Number).toLong(),
            embeddings = (json.get("embeddings") as Number).toLong(),
            detections = (json.get("detections") as Number).toLong(),
        )
    }
}

/** What the device’s log of admissions says of a match. */
data class MatchAdmission(
    /** The admission is stored: check-ins tell of it. */
    val recorded: Boolean,
    /** When this device last let the person in; null for the first time. */
    val alreadyAdmittedAtMs: Long? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("recorded", recorded)
        json.put("alreadyAdmittedAtMs", alreadyAdmittedAtMs?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): MatchAdmission = MatchAdmission(
            recorded = json.get("recorded") as Boolean,
            alreadyAdmittedAtMs = if (json.isNull("alreadyAdmittedAtMs")) null else (json.get("alreadyAdmittedAtMs") as Number).toLong(),
        )
    }
}

/** The result of an attempt. Contains no score, picture or identifier. `admission` comes with `Match`, `alreadyAdmittedAtMs` with `already-let-in`. */
data class VerificationResult(
    val outcome: VerificationOutcome,
    val reason: VerificationReason,
    val admission: MatchAdmission? = null,
    val alreadyAdmittedAtMs: Long? = null,
    val protections: Protections,
    val timings: VerificationTimings,
    val counts: VerificationCounts,
) {
    init {
        require((outcome == VerificationOutcome.Match && reason in setOf(VerificationReason.Verified, VerificationReason.VerifiedByLight, VerificationReason.StaffConfirmed) && admission != null) || (outcome == VerificationOutcome.NotEnrolled && reason in setOf(VerificationReason.NotOnList, VerificationReason.IDInvalid, VerificationReason.RecordUnopenable, VerificationReason.EngineMismatch, VerificationReason.RecordChanged)) || (outcome == VerificationOutcome.LeaseExpired && reason in setOf(VerificationReason.NeverSynced, VerificationReason.LeaseExpired, VerificationReason.ClockBehind, VerificationReason.DeviceRevoked, VerificationReason.ListDeleted, VerificationReason.AccountSuspended, VerificationReason.NoSync30Days, VerificationReason.StateUntrusted, VerificationReason.StorageFailed, VerificationReason.TooSlow)) || (outcome == VerificationOutcome.Expired && reason in setOf(VerificationReason.ListDeadline, VerificationReason.PersonDeadline)) || (outcome == VerificationOutcome.LivenessFailed && reason in setOf(VerificationReason.AttackFrame, VerificationReason.PassiveBelowThreshold, VerificationReason.NeverScorable, VerificationReason.TooFewScoredFrames, VerificationReason.LightNotAnswered, VerificationReason.LightNotHeld)) || (outcome == VerificationOutcome.ChallengeFailed && reason in setOf(VerificationReason.WrongWay, VerificationReason.FaceLost, VerificationReason.FaceSwapped, VerificationReason.TurnNotMade, VerificationReason.NoParallax, VerificationReason.Narrowed, VerificationReason.NotLookedBack, VerificationReason.NoAlternative, VerificationReason.StaffNotConfirmed, VerificationReason.TooFewScoredFrames, VerificationReason.SeveralFaces, VerificationReason.CameraDenied, VerificationReason.CameraFailed, VerificationReason.EngineFailed, VerificationReason.Cancelled)) || (outcome == VerificationOutcome.NoMatch && reason in setOf(VerificationReason.BelowThreshold, VerificationReason.SecondBelowThreshold, VerificationReason.NotFrontal, VerificationReason.SeveralFaces, VerificationReason.WindowEnded, VerificationReason.StorageFailed)) || (outcome == VerificationOutcome.NoFace && reason in setOf(VerificationReason.NoFace, VerificationReason.NoFrames, VerificationReason.CameraDenied, VerificationReason.CameraFailed, VerificationReason.EngineFailed, VerificationReason.Cancelled, VerificationReason.AttemptInProgress, VerificationReason.Disposed)) || (outcome == VerificationOutcome.NoMatch && reason == VerificationReason.AlreadyLetIn && alreadyAdmittedAtMs != null)) {
            "its members do not belong together"
        }
    }

    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("outcome", outcome.value)
        json.put("reason", reason.value)
        admission?.let { json.put("admission", it.toJson()) }
        alreadyAdmittedAtMs?.let { json.put("alreadyAdmittedAtMs", it) }
        json.put("protections", protections.toJson())
        json.put("timings", timings.toJson())
        json.put("counts", counts.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): VerificationResult = VerificationResult(
            outcome = VerificationOutcome.of(json.get("outcome") as String),
            reason = VerificationReason.of(json.get("reason") as String),
            admission = if (json.isNull("admission")) null else MatchAdmission.fromJson(json.get("admission") as JSONObject),
            alreadyAdmittedAtMs = if (json.isNull("alreadyAdmittedAtMs")) null else (json.get("alreadyAdmittedAtMs") as Number).toLong(),
            protections = Protections.fromJson(json.get("protections") as JSONObject),
            timings = VerificationTimings.fromJson(json.get("timings") as JSONObject),
            counts = VerificationCounts.fromJson(json.get("counts") as JSONObject),
        )
    }
}

/** What a sync did. */
enum class SyncOutcome(val value: String) {
    Updated("updated"),
    Unchanged("unchanged"),
    Wiped("wiped");

    companion object {
        fun of(value: String): SyncOutcome = values().first { it.value == value }
    }
}

/** Reason of a wipe or of a failure. */
enum class SyncReason(val value: String) {
    DeviceRevoked("device-revoked"),
    ListDeleted("list-deleted"),
    AccountSuspended("account-suspended"),
    RetentionDeadline("retention-deadline"),
    Offline("offline"),
    TimedOut("timed-out"),
    Unauthorised("unauthorised"),
    DeviceKeyMismatch("device-key-mismatch"),
    RateLimited("rate-limited"),
    ServerError("server-error"),
    UnexpectedAnswer("unexpected-answer"),
    TooLong("too-long"),
    EnvelopeInvalid("envelope-invalid"),
    UnknownSigningKey("unknown-signing-key"),
    SignatureInvalid("signature-invalid"),
    ManifestInvalid("manifest-invalid"),
    OtherDevice("other-device"),
    OtherList("other-list"),
    OtherNonce("other-nonce"),
    VersionRolledBack("version-rolled-back"),
    VersionConflict("version-conflict"),
    ManifestExpired("manifest-expired"),
    PayloadHashMismatch("payload-hash-mismatch"),
    BaseMismatch("base-mismatch"),
    DeltaInvalid("delta-invalid"),
    PackInvalid("pack-invalid"),
    StateHashMismatch("state-hash-mismatch"),
    ListKeyUnopenable("list-key-unopenable"),
    CheckRecordUnopenable("check-record-unopenable"),
    CheckInSecretUnopenable("check-in-secret-unopenable"),
    ErasedForGood("erased-for-good"),
    StorageFailed("storage-failed"),
    Disposed("disposed");

    companion object {
        fun of(value: String): SyncReason = values().first { it.value == value }
    }
}

/** Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list, `reason` with a wipe and with a failure. */
data class SyncResult(
    val ok: Boolean,
    val outcome: SyncOutcome? = null,
    val listVersion: Long? = null,
    val people: Long? = null,
    val reason: SyncReason? = null,
) {
    init {
        require((ok && outcome in setOf(SyncOutcome.Updated, SyncOutcome.Unchanged) && listVersion != null && people != null) || (ok && outcome == SyncOutcome.Wiped && reason in setOf(SyncReason.DeviceRevoked, SyncReason.ListDeleted, SyncReason.AccountSuspended, SyncReason.RetentionDeadline)) || (!ok && reason in setOf(SyncReason.Offline, SyncReason.TimedOut, SyncReason.Unauthorised, SyncReason.DeviceKeyMismatch, SyncReason.RateLimited, SyncReason.ServerError, SyncReason.UnexpectedAnswer, SyncReason.TooLong, SyncReason.EnvelopeInvalid, SyncReason.UnknownSigningKey, SyncReason.SignatureInvalid, SyncReason.ManifestInvalid, SyncReason.OtherDevice, SyncReason.OtherList, SyncReason.OtherNonce, SyncReason.VersionRolledBack, SyncReason.VersionConflict, SyncReason.ManifestExpired, SyncReason.PayloadHashMismatch, SyncReason.BaseMismatch, SyncReason.DeltaInvalid, SyncReason.PackInvalid, SyncReason.StateHashMismatch, SyncReason.ListKeyUnopenable, SyncReason.CheckRecordUnopenable, SyncReason.CheckInSecretUnopenable, SyncReason.ErasedForGood, SyncReason.StorageFailed, SyncReason.Disposed))) {
            "its members do not belong together"
        }
    }

    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("ok", ok)
        outcome?.let { json.put("outcome", it.value) }
        listVersion?.let { json.put("listVersion", it) }
        people?.let { json.put("people", it) }
        reason?.let { json.put("reason", it.value) }
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SyncResult = SyncResult(
            ok = json.get("ok") as Boolean,
            outcome = if (json.isNull("outcome")) null else SyncOutcome.of(json.get("outcome") as String),
            listVersion = if (json.isNull("listVersion")) null else (json.get("listVersion") as Number).toLong(),
            people = if (json.isNull("people")) null else (json.get("people") as Number).toLong(),
            reason = if (json.isNull("reason")) null else SyncReason.of(json.get("reason") as String),
        )
    }
}

/** Outcome of every scan while the device cannot verify. */
enum class NotReadyOutcome(val value: String) {
    LeaseExpired("LeaseExpired"),
    Expired("Expired");

    companion object {
        fun of(value: String): NotReadyOutcome = values().first { it.value == value }
    }
}

/** Reason of that outcome. */
enum class NotReadyReason(val value: String) {
    NeverSynced("never-synced"),
    LeaseExpired("lease-expired"),
    ClockBehind("clock-behind"),
    DeviceRevoked("device-revoked"),
    ListDeleted("list-deleted"),
    AccountSuspended("account-suspended"),
    NoSync30Days("no-sync-30-days"),
    StateUntrusted("state-untrusted"),
    StorageFailed("storage-failed"),
    TooSlow("too-slow"),
    ListDeadline("list-deadline"),
    PersonDeadline("person-deadline");

    companion object {
        fun of(value: String): NotReadyReason = values().first { it.value == value }
    }
}

/** Why a device cannot verify now. */
data class NotReady(
    val outcome: NotReadyOutcome,
    val reason: NotReadyReason,
) {
    init {
        require((outcome == NotReadyOutcome.LeaseExpired && reason in setOf(NotReadyReason.NeverSynced, NotReadyReason.LeaseExpired, NotReadyReason.ClockBehind, NotReadyReason.DeviceRevoked, NotReadyReason.ListDeleted, NotReadyReason.AccountSuspended, NotReadyReason.NoSync30Days, NotReadyReason.StateUntrusted, NotReadyReason.StorageFailed, NotReadyReason.TooSlow)) || (outcome == NotReadyOutcome.Expired && reason in setOf(NotReadyReason.ListDeadline, NotReadyReason.PersonDeadline))) {
            "its members do not belong together"
        }
    }

    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("outcome", outcome.value)
        json.put("reason", reason.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): NotReady = NotReady(
            outcome = NotReadyOutcome.of(json.get("outcome") as String),
            reason = NotReadyReason.of(json.get("reason") as String),
        )
    }
}

/** What people who cannot turn their head do instead. */
enum class HeadTurnAlternative(val value: String) {
    None("none"),
    Staff("staff"),
    Light("light");

    companion object {
        fun of(value: String): HeadTurnAlternative = values().first { it.value == value }
    }
}

/** What happens to people who come again. */
enum class ReEntryPolicy(val value: String) {
    Off("off"),
    Warn("warn"),
    Refuse("refuse");

    companion object {
        fun of(value: String): ReEntryPolicy = values().first { it.value == value }
    }
}

/** Why the data was deleted. */
enum class EraseReason(val value: String) {
    DeviceRevoked("device-revoked"),
    ListDeleted("list-deleted"),
    AccountSuspended("account-suspended"),
    RetentionDeadline("retention-deadline"),
    NoSync30Days("no-sync-30-days");

    companion object {
        fun of(value: String): EraseReason = values().first { it.value == value }
    }
}

/** Whether the last sync reached the service. */
enum class Connection(val value: String) {
    Online("online"),
    Offline("offline"),
    Unknown("unknown");

    companion object {
        fun of(value: String): Connection = values().first { it.value == value }
    }
}

/** Names for the screen; `event` is null for an ongoing list. */
data class DeviceNames(
    val event: String? = null,
    val list: String,
    val device: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("event", event?.let { it } ?: JSONObject.NULL)
        json.put("list", list)
        json.put("device", device)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): DeviceNames = DeviceNames(
            event = if (json.isNull("event")) null else json.get("event") as String,
            list = json.get("list") as String,
            device = json.get("device") as String,
        )
    }
}

/** Check-ins to the organiser’s server. */
data class CheckInQueue(
    /** The list has an address that check-ins are sent to. */
    val configured: Boolean,
    /** Check-ins that the organiser’s server has not accepted yet. */
    val queued: Long,
    /** Null before the first delivery since the start. */
    val lastDeliveredAtMs: Long? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("configured", configured)
        json.put("queued", queued)
        json.put("lastDeliveredAtMs", lastDeliveredAtMs?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): CheckInQueue = CheckInQueue(
            configured = json.get("configured") as Boolean,
            queued = (json.get("queued") as Number).toLong(),
            lastDeliveredAtMs = if (json.isNull("lastDeliveredAtMs")) null else (json.get("lastDeliveredAtMs") as Number).toLong(),
        )
    }
}

/** The build of the core that runs. */
enum class CoreBuild(val value: String) {
    SIMD("simd"),
    Scalar("scalar");

    companion object {
        fun of(value: String): CoreBuild = values().first { it.value == value }
    }
}

/** Status for a readiness screen. */
data class DeviceStatus(
    /** True if the next scan leads to an attempt or to NotEnrolled. */
    val ready: Boolean,
    /** Null if the device is ready. */
    val notReady: NotReady? = null,
    val listId: String? = null,
    val deviceId: String? = null,
    /** Null without a list. */
    val listVersion: Long? = null,
    /** People on the device’s copy of the list. */
    val people: Long,
    val enrollmentClosed: Boolean? = null,
    /** `none` before the first sync. */
    val headTurnAlternative: HeadTurnAlternative,
    /** Null without a list, and from services that send none. */
    val names: DeviceNames? = null,
    /** `off` before the first sync. */
    val reEntry: ReEntryPolicy,
    val checkIns: CheckInQueue,
    /** From then on every scan gives LeaseExpired, until a sync. */
    val leaseExpiresAtMs: Long? = null,
    /** From then on nothing of the list is left on the device. */
    val retentionDeadlineMs: Long? = null,
    /** The server’s time at the last authentic answer. */
    val lastSyncAtMs: Long? = null,
    /** Null before the first since the start. */
    val lastSync: SyncResult? = null,
    val syncing: Boolean,
    val connection: Connection,
    /** Null while a sync runs and when none is planned. */
    val nextSyncAtMs: Long? = null,
    /** Null while there is data or never was any. */
    val erased: EraseReason? = null,
    /** Engines whose records this device can verify, the preferred one first. */
    val engineIds: List<String>,
    /** True if no part of the list is of these engines: every scan gives NotEnrolled. */
    val engineMismatch: Boolean,
    val protections: Protections,
    /** Frames that an attempt can look at in a second; null before it was measured. */
    val framesPerSecond: Double? = null,
    /** `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results. */
    val core: CoreBuild,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("ready", ready)
        json.put("notReady", notReady?.let { it.toJson() } ?: JSONObject.NULL)
        json.put("listId", listId?.let { it } ?: JSONObject.NULL)
        json.put("deviceId", deviceId?.let { it } ?: JSONObject.NULL)
        json.put("listVersion", listVersion?.let { it } ?: JSONObject.NULL)
        json.put("people", people)
        json.put("enrollmentClosed", enrollmentClosed?.let { it } ?: JSONObject.NULL)
        json.put("headTurnAlternative", headTurnAlternative.value)
        json.put("names", names?.let { it.toJson() } ?: JSONObject.NULL)
        json.put("reEntry", reEntry.value)
        json.put("checkIns", checkIns.toJson())
        json.put("leaseExpiresAtMs", leaseExpiresAtMs?.let { it } ?: JSONObject.NULL)
        json.put("retentionDeadlineMs", retentionDeadlineMs?.let { it } ?: JSONObject.NULL)
        json.put("lastSyncAtMs", lastSyncAtMs?.let { it } ?: JSONObject.NULL)
        json.put("lastSync", lastSync?.let { it.toJson() } ?: JSONObject.NULL)
        json.put("syncing", syncing)
        json.put("connection", connection.value)
        json.put("nextSyncAtMs", nextSyncAtMs?.let { it } ?: JSONObject.NULL)
        json.put("erased", erased?.let { it.value } ?: JSONObject.NULL)
        json.put("engineIds", JSONArray(engineIds.map { it }))
        json.put("engineMismatch", engineMismatch)
        json.put("protections", protections.toJson())
        json.put("framesPerSecond", framesPerSecond?.let { it } ?: JSONObject.NULL)
        json.put("core", core.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): DeviceStatus = DeviceStatus(
            ready = json.get("ready") as Boolean,
            notReady = if (json.isNull("notReady")) null else NotReady.fromJson(json.get("notReady") as JSONObject),
            listId = if (json.isNull("listId")) null else json.get("listId") as String,
            deviceId = if (json.isNull("deviceId")) null else json.get("deviceId") as String,
            listVersion = if (json.isNull("listVersion")) null else (json.get("listVersion") as Number).toLong(),
            people = (json.get("people") as Number).toLong(),
            enrollmentClosed = if (json.isNull("enrollmentClosed")) null else json.get("enrollmentClosed") as Boolean,
            headTurnAlternative = HeadTurnAlternative.of(json.get("headTurnAlternative") as String),
            names = if (json.isNull("names")) null else DeviceNames.fromJson(json.get("names") as JSONObject),
            reEntry = ReEntryPolicy.of(json.get("reEntry") as String),
            checkIns = CheckInQueue.fromJson(json.get("checkIns") as JSONObject),
            leaseExpiresAtMs = if (json.isNull("leaseExpiresAtMs")) null else (json.get("leaseExpiresAtMs") as Number).toLong(),
            retentionDeadlineMs = if (json.isNull("retentionDeadlineMs")) null else (json.get("retentionDeadlineMs") as Number).toLong(),
            lastSyncAtMs = if (json.isNull("lastSyncAtMs")) null else (json.get("lastSyncAtMs") as Number).toLong(),
            lastSync = if (json.isNull("lastSync")) null else SyncResult.fromJson(json.get("lastSync") as JSONObject),
            syncing = json.get("syncing") as Boolean,
            connection = Connection.of(json.get("connection") as String),
            nextSyncAtMs = if (json.isNull("nextSyncAtMs")) null else (json.get("nextSyncAtMs") as Number).toLong(),
            erased = if (json.isNull("erased")) null else EraseReason.of(json.get("erased") as String),
            engineIds = (json.get("engineIds") as JSONArray).let { all -> List(all.length()) { all.get(it) as String } },
            engineMismatch = json.get("engineMismatch") as Boolean,
            protections = Protections.fromJson(json.get("protections") as JSONObject),
            framesPerSecond = if (json.isNull("framesPerSecond")) null else (json.get("framesPerSecond") as Number).toDouble(),
            core = CoreBuild.of(json.get("core") as String),
        )
    }
}

/** Answer to `keyStore.devicePublicKey`. */
data class PublicKeyAnswer(
    val publicKey: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("publicKey", publicKey)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): PublicKeyAnswer = PublicKeyAnswer(
            publicKey = json.get("publicKey") as String,
        )
    }
}

/** Whether there is such a key. */
data class HasAnswer(
    val has: Boolean,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("has", has)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): HasAnswer = HasAnswer(
            has = json.get("has") as Boolean,
        )
    }
}

/** Body of `keyStore.mac`. */
data class MacRequest(
    val message: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("message", message)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): MacRequest = MacRequest(
            message = json.get("message") as String,
        )
    }
}

/** HMAC-SHA-256. */
data class MacAnswer(
    val mac: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("mac", mac)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): MacAnswer = MacAnswer(
            mac = json.get("mac") as String,
        )
    }
}

/** A secret sealed to the device by HPKE. */
data class SealedSecret(
    val enc: String,
    val ciphertext: String,
    val info: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("enc", enc)
        json.put("ciphertext", ciphertext)
        json.put("info", info)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SealedSecret = SealedSecret(
            enc = json.get("enc") as String,
            ciphertext = json.get("ciphertext") as String,
            info = json.get("info") as String,
        )
    }
}

/** The sealed key of one epoch. */
data class SealedEpoch(
    val epoch: Long,
    val sealed: SealedSecret,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("epoch", epoch)
        json.put("sealed", sealed.toJson())
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SealedEpoch = SealedEpoch(
            epoch = (json.get("epoch") as Number).toLong(),
            sealed = SealedSecret.fromJson(json.get("sealed") as JSONObject),
        )
    }
}

/** Sealed list keys that the shell opens and holds. */
data class OpenListKeysRequest(
    val epochs: List<SealedEpoch>,
    val checkInSecret: SealedSecret? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("epochs", JSONArray(epochs.map { it.toJson() }))
        json.put("checkInSecret", checkInSecret?.let { it.toJson() } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): OpenListKeysRequest = OpenListKeysRequest(
            epochs = (json.get("epochs") as JSONArray).let { all -> List(all.length()) { SealedEpoch.fromJson(all.get(it) as JSONObject) } },
            checkInSecret = if (json.isNull("checkInSecret")) null else SealedSecret.fromJson(json.get("checkInSecret") as JSONObject),
        )
    }
}

/** List keys that the shell holds. */
data class OpenedListKeys(
    val handle: Long,
    val epochs: List<Long>,
    val hasCheckInSecret: Boolean,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("epochs", JSONArray(epochs.map { it }))
        json.put("hasCheckInSecret", hasCheckInSecret)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): OpenedListKeys = OpenedListKeys(
            handle = (json.get("handle") as Number).toLong(),
            epochs = (json.get("epochs") as JSONArray).let { all -> List(all.length()) { (all.get(it) as Number).toLong() } },
            hasCheckInSecret = json.get("hasCheckInSecret") as Boolean,
        )
    }
}

/** Answer to `keyStore.listKeys`. */
data class ListKeysAnswer(
    val keys: OpenedListKeys? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("keys", keys?.let { it.toJson() } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ListKeysAnswer = ListKeysAnswer(
            keys = if (json.isNull("keys")) null else OpenedListKeys.fromJson(json.get("keys") as JSONObject),
        )
    }
}

/** Body of `keyStore.derive`: HKDF-SHA-256 of an epoch’s key. */
data class DeriveRequest(
    val handle: Long,
    val epoch: Long,
    val salt: String,
    val info: String,
    val length: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("epoch", epoch)
        json.put("salt", salt)
        json.put("info", info)
        json.put("length", length)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): DeriveRequest = DeriveRequest(
            handle = (json.get("handle") as Number).toLong(),
            epoch = (json.get("epoch") as Number).toLong(),
            salt = json.get("salt") as String,
            info = json.get("info") as String,
            length = (json.get("length") as Number).toLong(),
        )
    }
}

/** Body of `keyStore.deriveFromAdmissionKey`. */
data class DeriveFromAdmissionKeyRequest(
    val salt: String,
    val info: String,
    val length: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("salt", salt)
        json.put("info", info)
        json.put("length", length)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): DeriveFromAdmissionKeyRequest = DeriveFromAdmissionKeyRequest(
            salt = json.get("salt") as String,
            info = json.get("info") as String,
            length = (json.get("length") as Number).toLong(),
        )
    }
}

/** Bytes that were derived or read. */
data class BytesAnswer(
    val bytes: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("bytes", bytes)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): BytesAnswer = BytesAnswer(
            bytes = json.get("bytes") as String,
        )
    }
}

/** Body of `keyStore.signCheckIn`. */
data class SignCheckInRequest(
    val handle: Long,
    val message: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("message", message)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SignCheckInRequest = SignCheckInRequest(
            handle = (json.get("handle") as Number).toLong(),
            message = json.get("message") as String,
        )
    }
}

/** HMAC-SHA-256 under the check-in secret; null without one. */
data class SignCheckInAnswer(
    val signature: String? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("signature", signature?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): SignCheckInAnswer = SignCheckInAnswer(
            signature = if (json.isNull("signature")) null else json.get("signature") as String,
        )
    }
}

/** Stores opened list keys under a generation. */
data class KeepAsRequest(
    val handle: Long,
    val generation: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("generation", generation)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): KeepAsRequest = KeepAsRequest(
            handle = (json.get("handle") as Number).toLong(),
            generation = (json.get("generation") as Number).toLong(),
        )
    }
}

/** Body of requests about something that the shell holds. */
data class HandleRequest(
    val handle: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): HandleRequest = HandleRequest(
            handle = (json.get("handle") as Number).toLong(),
        )
    }
}

/** Body of requests about a generation. */
data class GenerationRequest(
    val generation: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("generation", generation)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): GenerationRequest = GenerationRequest(
            generation = (json.get("generation") as Number).toLong(),
        )
    }
}

/** Stored generations, in any order. */
data class GenerationsAnswer(
    val generations: List<Long>,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("generations", JSONArray(generations.map { it }))
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): GenerationsAnswer = GenerationsAnswer(
            generations = (json.get("generations") as JSONArray).let { all -> List(all.length()) { (all.get(it) as Number).toLong() } },
        )
    }
}

/** The state record; null if none was written. */
data class ReadStateAnswer(
    val state: String? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("state", state?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ReadStateAnswer = ReadStateAnswer(
            state = if (json.isNull("state")) null else json.get("state") as String,
        )
    }
}

/** Replaces the state record. */
data class WriteStateRequest(
    val state: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("state", state)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): WriteStateRequest = WriteStateRequest(
            state = json.get("state") as String,
        )
    }
}

/** A pack that is being written. */
data class Upload(
    val upload: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("upload", upload)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): Upload = Upload(
            upload = (json.get("upload") as Number).toLong(),
        )
    }
}

/** Adds a chunk at the pack’s end. */
data class AppendPackRequest(
    val upload: Long,
    val offset: Long,
    val chunk: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("upload", upload)
        json.put("offset", offset)
        json.put("chunk", chunk)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): AppendPackRequest = AppendPackRequest(
            upload = (json.get("upload") as Number).toLong(),
            offset = (json.get("offset") as Number).toLong(),
            chunk = json.get("chunk") as String,
        )
    }
}

/** A pack that is read in ranges. */
data class OpenedPack(
    val handle: Long,
    val byteLength: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("byteLength", byteLength)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): OpenedPack = OpenedPack(
            handle = (json.get("handle") as Number).toLong(),
            byteLength = (json.get("byteLength") as Number).toLong(),
        )
    }
}

/** Answer to `packStore.openPack`. */
data class OpenPackAnswer(
    val pack: OpenedPack? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("pack", pack?.let { it.toJson() } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): OpenPackAnswer = OpenPackAnswer(
            pack = if (json.isNull("pack")) null else OpenedPack.fromJson(json.get("pack") as JSONObject),
        )
    }
}

/** Body of `packStore.readPack`. */
data class ReadPackRequest(
    val handle: Long,
    val offset: Long,
    val length: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("handle", handle)
        json.put("offset", offset)
        json.put("length", length)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ReadPackRequest = ReadPackRequest(
            handle = (json.get("handle") as Number).toLong(),
            offset = (json.get("offset") as Number).toLong(),
            length = (json.get("length") as Number).toLong(),
        )
    }
}

/** Body of requests about a page of the log of admissions. */
data class LogPageRequest(
    val page: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("page", page)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): LogPageRequest = LogPageRequest(
            page = (json.get("page") as Number).toLong(),
        )
    }
}

/** Content of a page; null if there is none. */
data class ReadLogPageAnswer(
    val content: String? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("content", content?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ReadLogPageAnswer = ReadLogPageAnswer(
            content = if (json.isNull("content")) null else json.get("content") as String,
        )
    }
}

/** Replaces a page. */
data class WriteLogPageRequest(
    val page: Long,
    val content: String,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("page", page)
        json.put("content", content)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): WriteLogPageRequest = WriteLogPageRequest(
            page = (json.get("page") as Number).toLong(),
            content = json.get("content") as String,
        )
    }
}

/** Stored pages, in any order. */
data class LogPagesAnswer(
    val pages: List<Long>,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("pages", JSONArray(pages.map { it }))
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): LogPagesAnswer = LogPagesAnswer(
            pages = (json.get("pages") as JSONArray).let { all -> List(all.length()) { (all.get(it) as Number).toLong() } },
        )
    }
}

/** HTTP method. */
enum class HttpMethod(val value: String) {
    Get("GET"),
    Post("POST");

    companion object {
        fun of(value: String): HttpMethod = values().first { it.value == value }
    }
}

/** One HTTP request. The body comes with POST alone. */
data class TransportBeginRequest(
    val transfer: Long,
    val method: HttpMethod,
    val url: String,
    val headers: Map<String, String>,
    val body: String? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("transfer", transfer)
        json.put("method", method.value)
        json.put("url", url)
        json.put("headers", JSONObject(headers))
        body?.let { json.put("body", it) }
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TransportBeginRequest = TransportBeginRequest(
            transfer = (json.get("transfer") as Number).toLong(),
            method = HttpMethod.of(json.get("method") as String),
            url = json.get("url") as String,
            headers = (json.get("headers") as JSONObject).let { all -> all.keys().asSequence().associateWith { all.get(it) as String } },
            body = if (json.isNull("body")) null else json.get("body") as String,
        )
    }
}

/** Status and headers of the answer; the body is pulled by `transport.read`. */
data class TransportBeginAnswer(
    val status: Long,
    val mediaType: String,
    val contentLength: Long? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("status", status)
        json.put("mediaType", mediaType)
        json.put("contentLength", contentLength?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TransportBeginAnswer = TransportBeginAnswer(
            status = (json.get("status") as Number).toLong(),
            mediaType = json.get("mediaType") as String,
            contentLength = if (json.isNull("contentLength")) null else (json.get("contentLength") as Number).toLong(),
        )
    }
}

/** Body of requests about a transfer. */
data class TransferRequest(
    val transfer: Long,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("transfer", transfer)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TransferRequest = TransferRequest(
            transfer = (json.get("transfer") as Number).toLong(),
        )
    }
}

/** The next bytes of the body; `done` with the last ones. */
data class TransportReadAnswer(
    val chunk: String,
    val done: Boolean,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("chunk", chunk)
        json.put("done", done)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): TransportReadAnswer = TransportReadAnswer(
            chunk = json.get("chunk") as String,
            done = json.get("done") as Boolean,
        )
    }
}

/** The permission of the app for the camera. */
enum class CameraPermission(val value: String) {
    Granted("granted"),
    Denied("denied"),
    Restricted("restricted");

    companion object {
        fun of(value: String): CameraPermission = values().first { it.value == value }
    }
}

/** Answer to `camera.requestPermission`. */
data class CameraPermissionAnswer(
    val permission: CameraPermission,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("permission", permission.value)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): CameraPermissionAnswer = CameraPermissionAnswer(
            permission = CameraPermission.of(json.get("permission") as String),
        )
    }
}

/** The time at which the shell itself erases; null: never. */
data class GuardRequest(
    val eraseAtMs: Long? = null,
) {
    fun toJson(): JSONObject {
        val json = JSONObject()
        json.put("eraseAtMs", eraseAtMs?.let { it } ?: JSONObject.NULL)
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): GuardRequest = GuardRequest(
            eraseAtMs = if (json.isNull("eraseAtMs")) null else (json.get("eraseAtMs") as Number).toLong(),
        )
    }
}
