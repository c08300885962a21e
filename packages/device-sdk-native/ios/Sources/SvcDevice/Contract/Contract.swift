// Written by scripts/prepare-sources.ts from contract/v1.schema.json.

/// Why a request failed.
public enum FailureCode: String, Codable, CaseIterable, Sendable {
    case configurationInvalid = "configuration-invalid"
    case passiveLivenessMissing = "passive-liveness-missing"
    case deviceInUse = "device-in-use"
    case storageFailed = "storage-failed"
    case openFailed = "open-failed"
    case modelMissing = "model-missing"
    case modelMismatch = "model-mismatch"
    case goldenMismatch = "golden-mismatch"
    case runtimeFailed = "runtime-failed"
    case webassemblyMissing = "webassembly-missing"
    case webviewTooOld = "webview-too-old"
    case tooSlow = "too-slow"
    case cameraDenied = "camera-denied"
    case offline = "offline"
    case cancelled = "cancelled"
    case notConfigured = "not-configured"
    case busy = "busy"
    case disposed = "disposed"
    case messageInvalid = "message-invalid"
    case unknownName = "unknown-name"
    case versionUnsupported = "version-unsupported"
    case tooLarge = "too-large"
    case timeout = "timeout"
    case rendererGone = "renderer-gone"
}

/// Body of a failure and of the event `fault`. The message is English, for developers; it has no secret, no id of a person, no score and no picture.
public struct Failure: Codable, Equatable, Sendable {
    public let code: FailureCode
    public let message: String

    public init(code: FailureCode, message: String) {
        self.code = code
        self.message = message
    }
}

/// The shell’s platform.
public enum Platform: String, Codable, CaseIterable, Sendable {
    case android = "android"
    case ios = "ios"
    case reactNative = "react-native"
    case flutter = "flutter"
    case maui = "maui"
    case test = "test"
}

/// What the shell is.
public struct ShellInfo: Codable, Equatable, Sendable {
    public let platform: Platform
    public let version: String
    public let osVersion: String

    public init(platform: Platform, version: String, osVersion: String) {
        self.platform = platform
        self.version = version
        self.osVersion = osVersion
    }
}

/// A named region, whose address and keys are in the build.
public enum RegionName: String, Codable, CaseIterable, Sendable {
    case eu = "EU"
    case us = "US"
}

/// A named region, or a deployment’s own address with its signing keys: Ed25519, the current one and the next.
public struct Region: Codable, Equatable, Sendable {
    public let name: RegionName?
    public let baseUrl: String?
    public let signingKeys: [String]?

    public init(name: RegionName? = nil, baseUrl: String? = nil, signingKeys: [String]? = nil) {
        self.name = name
        self.baseUrl = baseUrl
        self.signingKeys = signingKeys
    }

    /// Whether its members belong together, as in one of the forms that the contract has.
    public var isOneForm: Bool {
        if name != nil { return true }
        if baseUrl != nil, signingKeys != nil { return true }
        return false
    }
}

/// Whether a passive model has to run, or staff watch every attempt.
public enum PassiveLiveness: String, Codable, CaseIterable, Sendable {
    case required = "required"
    case absentStaffInView = "absent-staff-in-view"
}

/// Whether the light challenge runs where the camera has a screen light.
public enum LightChallenge: String, Codable, CaseIterable, Sendable {
    case off = "off"
    case whenPossible = "when-possible"
}

/// Who draws the prompts: the page, or the host app.
public enum PromptsBy: String, Codable, CaseIterable, Sendable {
    case page = "page"
    case host = "host"
}

/// Which camera.
public enum CameraFacing: String, Codable, CaseIterable, Sendable {
    case user = "user"
    case environment = "environment"
}

/// The first request of a session.
public struct ConfigureRequest: Codable, Equatable, Sendable {
    public let minor: Int
    /// `svcd_…`, shown once when the device was added.
    public let deviceToken: String
    public let region: Region
    public let passiveLiveness: PassiveLiveness
    public let lightChallenge: LightChallenge
    /// Maximum size of a sync answer; 256 MiB if absent.
    public let maxSyncBytes: Int?
    /// Of each sync request with its answer; two minutes if absent.
    public let syncTimeoutMs: Int?
    /// Of the page’s prompts, BCP 47; the system’s if absent.
    public let language: String?
    public let prompts: PromptsBy
    public let camera: CameraFacing
    public let shell: ShellInfo

    public init(minor: Int, deviceToken: String, region: Region, passiveLiveness: PassiveLiveness, lightChallenge: LightChallenge, maxSyncBytes: Int? = nil, syncTimeoutMs: Int? = nil, language: String? = nil, prompts: PromptsBy, camera: CameraFacing, shell: ShellInfo) {
        self.minor = minor
        self.deviceToken = deviceToken
        self.region = region
        self.passiveLiveness = passiveLiveness
        self.lightChallenge = lightChallenge
        self.maxSyncBytes = maxSyncBytes
        self.syncTimeoutMs = syncTimeoutMs
        self.language = language
        self.prompts = prompts
        self.camera = camera
        self.shell = shell
    }
}

/// Body of the event `status` and of the answers to `configure` and `status`.
public struct StatusBody: Codable, Equatable, Sendable {
    public let status: DeviceStatus

    public init(status: DeviceStatus) {
        self.status = status
    }
}

/// Answer to `sync`.
public struct SyncAnswer: Codable, Equatable, Sendable {
    public let result: SyncResult

    public init(result: SyncResult) {
        self.result = result
    }
}

/// Whether the head turn is asked for, or the list’s alternative.
public enum HeadTurn: String, Codable, CaseIterable, Sendable {
    case asked = "asked"
    case alternative = "alternative"
}

/// Starts an attempt.
public struct VerifyRequest: Codable, Equatable, Sendable {
    public let attempt: String
    public let scannedId: String
    public let headTurn: HeadTurn

    public init(attempt: String, scannedId: String, headTurn: HeadTurn) {
        self.attempt = attempt
        self.scannedId = scannedId
        self.headTurn = headTurn
    }
}

/// Answer to `verify`.
public struct VerifyAnswer: Codable, Equatable, Sendable {
    public let result: VerificationResult

    public init(result: VerificationResult) {
        self.result = result
    }
}

/// Body of `cancel` and `confirmByStaff`.
public struct AttemptRequest: Codable, Equatable, Sendable {
    public let attempt: String

    public init(attempt: String) {
        self.attempt = attempt
    }
}

/// Body of `takeBackAdmission`.
public struct TakeBackRequest: Codable, Equatable, Sendable {
    public let scannedId: String

    public init(scannedId: String) {
        self.scannedId = scannedId
    }
}

/// Whether there was an admission to take back.
public enum TakeBackOutcome: String, Codable, CaseIterable, Sendable {
    case takenBack = "taken-back"
    case notAdmitted = "not-admitted"
}

/// Answer to `takeBackAdmission`.
public struct TakeBackAnswer: Codable, Equatable, Sendable {
    public let outcome: TakeBackOutcome

    public init(outcome: TakeBackOutcome) {
        self.outcome = outcome
    }
}

/// State of the host app.
public enum LifecycleState: String, Codable, CaseIterable, Sendable {
    case foreground = "foreground"
    case background = "background"
    case lowMemory = "low-memory"
}

/// Body of `lifecycle`.
public struct LifecycleRequest: Codable, Equatable, Sendable {
    public let state: LifecycleState

    public init(state: LifecycleState) {
        self.state = state
    }
}

/// The first message of a session; the session is also in its envelope.
public struct Hello: Codable, Equatable, Sendable {
    public let minor: Int
    public let sdkVersion: String
    public let session: String

    public init(minor: Int, sdkVersion: String, session: String) {
        self.minor = minor
        self.sdkVersion = sdkVersion
        self.session = session
    }
}

/// Body of the event `prompt`. Null: the attempt ended.
public struct PromptEvent: Codable, Equatable, Sendable {
    public let attempt: String
    public let prompt: Prompt?

    public init(attempt: String, prompt: Prompt?) {
        self.attempt = attempt
        self.prompt = prompt
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(attempt, forKey: .attempt)
        try container.encode(prompt, forKey: .prompt)
    }
}

/// What the person is asked to do.
public enum PromptKey: String, Codable, CaseIterable, Sendable {
    case lookAtCamera = "look-at-camera"
    case stepIntoView = "step-into-view"
    case turnHead = "turn-head"
    case staffConfirms = "staff-confirms"
    case lookBack = "look-back"
    case onePersonOnly = "one-person-only"
    case finished = "finished"
}

/// A hint for a better view of the face, shown beside the prompt.
public enum PromptHint: String, Codable, CaseIterable, Sendable {
    case stepBack = "step-back"
    case comeCloser = "come-closer"
    case moreLight = "more-light"
    case lessLight = "less-light"
    case holdStill = "hold-still"
}

/// Direction from the person’s own point of view.
public enum TurnDirection: String, Codable, CaseIterable, Sendable {
    case left = "left"
    case right = "right"
}

/// A check that follows if the face matches.
public enum AnnouncedCheck: String, Codable, CaseIterable, Sendable {
    case light = "light"
}

/// The current instruction to the person.
public struct Prompt: Codable, Equatable, Sendable {
    public let key: PromptKey
    /// Only with `turn-head`.
    public let direction: TurnDirection?
    /// Absent if nothing needs to change.
    public let hint: PromptHint?
    /// True while the screen shows the colours of the light challenge: the person looks and holds still.
    public let light: Bool?
    /// The colours of the light challenge follow if the face matches: announce them.
    public let next: AnnouncedCheck?
    /// Of the whole attempt, in steps of a twentieth; never reveals a score.
    public let progress: Double
    /// Of the ten seconds; the whole window until the first frame.
    public let remainingMs: Int

    public init(key: PromptKey, direction: TurnDirection? = nil, hint: PromptHint? = nil, light: Bool? = nil, next: AnnouncedCheck? = nil, progress: Double, remainingMs: Int) {
        self.key = key
        self.direction = direction
        self.hint = hint
        self.light = light
        self.next = next
        self.progress = progress
        self.remainingMs = remainingMs
    }
}

/// Outcome of an attempt.
public enum VerificationOutcome: String, Codable, CaseIterable, Sendable {
    case match = "Match"
    case notEnrolled = "NotEnrolled"
    case leaseExpired = "LeaseExpired"
    case expired = "Expired"
    case livenessFailed = "LivenessFailed"
    case challengeFailed = "ChallengeFailed"
    case noMatch = "NoMatch"
    case noFace = "NoFace"
}

/// Reason of an outcome.
public enum VerificationReason: String, Codable, CaseIterable, Sendable {
    case verified = "verified"
    case verifiedByLight = "verified-by-light"
    case staffConfirmed = "staff-confirmed"
    case notOnList = "not-on-list"
    case idInvalid = "id-invalid"
    case recordUnopenable = "record-unopenable"
    case engineMismatch = "engine-mismatch"
    case recordChanged = "record-changed"
    case neverSynced = "never-synced"
    case leaseExpired = "lease-expired"
    case clockBehind = "clock-behind"
    case deviceRevoked = "device-revoked"
    case listDeleted = "list-deleted"
    case accountSuspended = "account-suspended"
    case noSync30Days = "no-sync-30-days"
    case stateUntrusted = "state-untrusted"
    case storageFailed = "storage-failed"
    case tooSlow = "too-slow"
    case listDeadline = "list-deadline"
    case personDeadline = "person-deadline"
    case attackFrame = "attack-frame"
    case passiveBelowThreshold = "passive-below-threshold"
    case neverScorable = "never-scorable"
    case tooFewScoredFrames = "too-few-scored-frames"
    case lightNotAnswered = "light-not-answered"
    case lightNotHeld = "light-not-held"
    case wrongWay = "wrong-way"
    case faceLost = "face-lost"
    case faceSwapped = "face-swapped"
    case turnNotMade = "turn-not-made"
    case noParallax = "no-parallax"
    case narrowed = "narrowed"
    case notLookedBack = "not-looked-back"
    case noAlternative = "no-alternative"
    case staffNotConfirmed = "staff-not-confirmed"
    case severalFaces = "several-faces"
    case cameraDenied = "camera-denied"
    case cameraFailed = "camera-failed"
    case engineFailed = "engine-failed"
    case cancelled = "cancelled"
    case belowThreshold = "below-threshold"
    case secondBelowThreshold = "second-below-threshold"
    case notFrontal = "not-frontal"
    case windowEnded = "window-ended"
    case noFace = "no-face"
    case noFrames = "no-frames"
    case attemptInProgress = "attempt-in-progress"
    case disposed = "disposed"
    case alreadyLetIn = "already-let-in"
}

/// The model of the passive check, or the operator’s declaration that staff watch.
public enum PassiveCheck: String, Codable, CaseIterable, Sendable {
    case minifasnet = "minifasnet"
    case absentStaffInView = "absent-staff-in-view"
}

/// The check after the first match.
public enum ActiveCheck: String, Codable, CaseIterable, Sendable {
    case headTurn = "head-turn"
    case light = "light"
    case staff = "staff"
}

/// What became of the light challenge.
public enum LightProtection: String, Codable, CaseIterable, Sendable {
    case off = "off"
    case whenPossible = "when-possible"
    case answered = "answered"
    case notAnswered = "not-answered"
    case abstained = "abstained"
}

/// Protections that were active for the outcome.
public struct Protections: Codable, Equatable, Sendable {
    public let passive: PassiveCheck
    /// Version of the passive score’s calibration; null without a passive check.
    public let passiveCalibration: String?
    public let active: ActiveCheck
    public let light: LightProtection

    public init(passive: PassiveCheck, passiveCalibration: String?, active: ActiveCheck, light: LightProtection) {
        self.passive = passive
        self.passiveCalibration = passiveCalibration
        self.active = active
        self.light = light
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(passive, forKey: .passive)
        try container.encode(passiveCalibration, forKey: .passiveCalibration)
        try container.encode(active, forKey: .active)
        try container.encode(light, forKey: .light)
    }
}

/// Durations; null for stages that were not reached.
public struct VerificationTimings: Codable, Equatable, Sendable {
    /// From call to result.
    public let totalMs: Int
    /// From the camera request to the first frame.
    public let cameraStartMs: Int?
    /// From first frame to verdict: at most the window of ten seconds.
    public let attemptMs: Int?
    public let frontalMs: Int?
    public let lightMs: Int?
    public let turnMs: Int?
    public let returnMs: Int?

    public init(totalMs: Int, cameraStartMs: Int?, attemptMs: Int?, frontalMs: Int?, lightMs: Int?, turnMs: Int?, returnMs: Int?) {
        self.totalMs = totalMs
        self.cameraStartMs = cameraStartMs
        self.attemptMs = attemptMs
        self.frontalMs = frontalMs
        self.lightMs = lightMs
        self.turnMs = turnMs
        self.returnMs = returnMs
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(totalMs, forKey: .totalMs)
        try container.encode(cameraStartMs, forKey: .cameraStartMs)
        try container.encode(attemptMs, forKey: .attemptMs)
        try container.encode(frontalMs, forKey: .frontalMs)
        try container.encode(lightMs, forKey: .lightMs)
        try container.encode(turnMs, forKey: .turnMs)
        try container.encode(returnMs, forKey: .returnMs)
    }
}

/// Counters of the attempt.
public struct VerificationCounts: Codable, Equatable, Sendable {
    public let framesAnalysed: Int
    /// Frames skipped because a newer one arrived while the device was busy.
    public let framesDropped: Int
    public let framesUnscorable: Int
    public let embeddings: Int
    public let detections: Int

    public init(framesAnalysed: Int, framesDropped: Int, framesUnscorable: Int, embeddings: Int, detections: Int) {
        self.framesAnalysed = framesAnalysed
        self.framesDropped = framesDropped
        self.framesUnscorable = framesUnscorable
        self.embeddings = embeddings
        self.detections = detections
    }
}

/// What the device’s log of admissions says of a match.
public struct MatchAdmission: Codable, Equatable, Sendable {
    /// The admission is stored: check-ins tell of it.
    public let recorded: Bool
    /// When this device last let the person in; null for the first time.
    public let alreadyAdmittedAtMs: Int?

    public init(recorded: Bool, alreadyAdmittedAtMs: Int?) {
        self.recorded = recorded
        self.alreadyAdmittedAtMs = alreadyAdmittedAtMs
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recorded, forKey: .recorded)
        try container.encode(alreadyAdmittedAtMs, forKey: .alreadyAdmittedAtMs)
    }
}

/// The result of an attempt. Contains no score, picture or identifier. `admission` comes with `Match`, `alreadyAdmittedAtMs` with `already-let-in`.
public struct VerificationResult: Codable, Equatable, Sendable {
    public let outcome: VerificationOutcome
    public let reason: VerificationReason
    public let admission: MatchAdmission?
    public let alreadyAdmittedAtMs: Int?
    public let protections: Protections
    public let timings: VerificationTimings
    public let counts: VerificationCounts

    public init(outcome: VerificationOutcome, reason: VerificationReason, admission: MatchAdmission? = nil, alreadyAdmittedAtMs: Int? = nil, protections: Protections, timings: VerificationTimings, counts: VerificationCounts) {
        self.outcome = outcome
        self.reason = reason
        self.admission = admission
        self.alreadyAdmittedAtMs = alreadyAdmittedAtMs
        self.protections = protections
        self.timings = timings
        self.counts = counts
    }

    /// Whether its members belong together, as in one of the forms that the contract has.
    public var isOneForm: Bool {
        if outcome == VerificationOutcome.match, [VerificationReason.verified, VerificationReason.verifiedByLight, VerificationReason.staffConfirmed].contains(reason), admission != nil { return true }
        if outcome == VerificationOutcome.notEnrolled, [VerificationReason.notOnList, VerificationReason.idInvalid, VerificationReason.recordUnopenable, VerificationReason.engineMismatch, VerificationReason.recordChanged].contains(reason) { return true }
        if outcome == VerificationOutcome.leaseExpired, [VerificationReason.neverSynced, VerificationReason.leaseExpired, VerificationReason.clockBehind, VerificationReason.deviceRevoked, VerificationReason.listDeleted, VerificationReason.accountSuspended, VerificationReason.noSync30Days, VerificationReason.stateUntrusted, VerificationReason.storageFailed, VerificationReason.tooSlow].contains(reason) { return true }
        if outcome == VerificationOutcome.expired, [VerificationReason.listDeadline, VerificationReason.personDeadline].contains(reason) { return true }
        if outcome == VerificationOutcome.livenessFailed, [VerificationReason.attackFrame, VerificationReason.passiveBelowThreshold, VerificationReason.neverScorable, VerificationReason.tooFewScoredFrames, VerificationReason.lightNotAnswered, VerificationReason.lightNotHeld].contains(reason) { return true }
        if outcome == VerificationOutcome.challengeFailed, [VerificationReason.wrongWay, VerificationReason.faceLost, VerificationReason.faceSwapped, VerificationReason.turnNotMade, VerificationReason.noParallax, VerificationReason.narrowed, VerificationReason.notLookedBack, VerificationReason.noAlternative, VerificationReason.staffNotConfirmed, VerificationReason.tooFewScoredFrames, VerificationReason.severalFaces, VerificationReason.cameraDenied, VerificationReason.cameraFailed, VerificationReason.engineFailed, VerificationReason.cancelled].contains(reason) { return true }
        if outcome == VerificationOutcome.noMatch, [VerificationReason.belowThreshold, VerificationReason.secondBelowThreshold, VerificationReason.notFrontal, VerificationReason.severalFaces, VerificationReason.windowEnded, VerificationReason.storageFailed].contains(reason) { return true }
        if outcome == VerificationOutcome.noFace, [VerificationReason.noFace, VerificationReason.noFrames, VerificationReason.cameraDenied, VerificationReason.cameraFailed, VerificationReason.engineFailed, VerificationReason.cancelled, VerificationReason.attemptInProgress, VerificationReason.disposed].contains(reason) { return true }
        if outcome == VerificationOutcome.noMatch, reason == VerificationReason.alreadyLetIn, alreadyAdmittedAtMs != nil { return true }
        return false
    }
}

/// What a sync did.
public enum SyncOutcome: String, Codable, CaseIterable, Sendable {
    case updated = "updated"
    case unchanged = "unchanged"
    case wiped = "wiped"
}

/// Reason of a wipe or of a failure.
public enum SyncReason: String, Codable, CaseIterable, Sendable {
    case deviceRevoked = "device-revoked"
    case listDeleted = "list-deleted"
    case accountSuspended = "account-suspended"
    case retentionDeadline = "retention-deadline"
    case offline = "offline"
    case timedOut = "timed-out"
    case unauthorised = "unauthorised"
    case deviceKeyMismatch = "device-key-mismatch"
    case rateLimited = "rate-limited"
    case serverError = "server-error"
    case unexpectedAnswer = "unexpected-answer"
    case tooLong = "too-long"
    case envelopeInvalid = "envelope-invalid"
    case unknownSigningKey = "unknown-signing-key"
    case signatureInvalid = "signature-invalid"
    case manifestInvalid = "manifest-invalid"
    case otherDevice = "other-device"
    case otherList = "other-list"
    case otherNonce = "other-nonce"
    case versionRolledBack = "version-rolled-back"
    case versionConflict = "version-conflict"
    case manifestExpired = "manifest-expired"
    case payloadHashMismatch = "payload-hash-mismatch"
    case baseMismatch = "base-mismatch"
    case deltaInvalid = "delta-invalid"
    case packInvalid = "pack-invalid"
    case stateHashMismatch = "state-hash-mismatch"
    case listKeyUnopenable = "list-key-unopenable"
    case checkRecordUnopenable = "check-record-unopenable"
    case checkInSecretUnopenable = "check-in-secret-unopenable"
    case erasedForGood = "erased-for-good"
    case storageFailed = "storage-failed"
    case disposed = "disposed"
}

/// Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list, `reason` with a wipe and with a failure.
public struct SyncResult: Codable, Equatable, Sendable {
    public let ok: Bool
    public let outcome: SyncOutcome?
    public let listVersion: Int?
    public let people: Int?
    public let reason: SyncReason?

    public init(ok: Bool, outcome: SyncOutcome? = nil, listVersion: Int? = nil, people: Int? = nil, reason: SyncReason? = nil) {
        self.ok = ok
        self.outcome = outcome
        self.listVersion = listVersion
        self.people = people
        self.reason = reason
    }

    /// Whether its members belong together, as in one of the forms that the contract has.
    public var isOneForm: Bool {
        if ok, [SyncOutcome.updated, SyncOutcome.unchanged].contains(outcome), listVersion != nil, people != nil { return true }
        if ok, outcome == SyncOutcome.wiped, [SyncReason.deviceRevoked, SyncReason.listDeleted, SyncReason.accountSuspended, SyncReason.retentionDeadline].contains(reason) { return true }
        if !ok, [SyncReason.offline, SyncReason.timedOut, SyncReason.unauthorised, SyncReason.deviceKeyMismatch, SyncReason.rateLimited, SyncReason.serverError, SyncReason.unexpectedAnswer, SyncReason.tooLong, SyncReason.envelopeInvalid, SyncReason.unknownSigningKey, SyncReason.signatureInvalid, SyncReason.manifestInvalid, SyncReason.otherDevice, SyncReason.otherList, SyncReason.otherNonce, SyncReason.versionRolledBack, SyncReason.versionConflict, SyncReason.manifestExpired, SyncReason.payloadHashMismatch, SyncReason.baseMismatch, SyncReason.deltaInvalid, SyncReason.packInvalid, SyncReason.stateHashMismatch, SyncReason.listKeyUnopenable, SyncReason.checkRecordUnopenable, SyncReason.checkInSecretUnopenable, SyncReason.erasedForGood, SyncReason.storageFailed, SyncReason.disposed].contains(reason) { return true }
        return false
    }
}

/// Outcome of every scan while the device cannot verify.
public enum NotReadyOutcome: String, Codable, CaseIterable, Sendable {
    case leaseExpired = "LeaseExpired"
    case expired = "Expired"
}

/// Reason of that outcome.
public enum NotReadyReason: String, Codable, CaseIterable, Sendable {
    case neverSynced = "never-synced"
    case leaseExpired = "lease-expired"
    case clockBehind = "clock-behind"
    case deviceRevoked = "device-revoked"
    case listDeleted = "list-deleted"
    case accountSuspended = "account-suspended"
    case noSync30Days = "no-sync-30-days"
    case stateUntrusted = "state-untrusted"
    case storageFailed = "storage-failed"
    case tooSlow = "too-slow"
    case listDeadline = "list-deadline"
    case personDeadline = "person-deadline"
}

/// Why a device cannot verify now.
public struct NotReady: Codable, Equatable, Sendable {
    public let outcome: NotReadyOutcome
    public let reason: NotReadyReason

    public init(outcome: NotReadyOutcome, reason: NotReadyReason) {
        self.outcome = outcome
        self.reason = reason
    }

    /// Whether its members belong together, as in one of the forms that the contract has.
    public var isOneForm: Bool {
        if outcome == NotReadyOutcome.leaseExpired, [NotReadyReason.neverSynced, NotReadyReason.leaseExpired, NotReadyReason.clockBehind, NotReadyReason.deviceRevoked, NotReadyReason.listDeleted, NotReadyReason.accountSuspended, NotReadyReason.noSync30Days, NotReadyReason.stateUntrusted, NotReadyReason.storageFailed, NotReadyReason.tooSlow].contains(reason) { return true }
        if outcome == NotReadyOutcome.expired, [NotReadyReason.listDeadline, NotReadyReason.personDeadline].contains(reason) { return true }
        return false
    }
}

/// What people who cannot turn their head do instead.
public enum HeadTurnAlternative: String, Codable, CaseIterable, Sendable {
    case headTurnAlternativeNone = "none"
    case staff = "staff"
    case light = "light"
}

/// What happens to people who come again.
public enum ReEntryPolicy: String, Codable, CaseIterable, Sendable {
    case off = "off"
    case warn = "warn"
    case refuse = "refuse"
}

/// Why the data was deleted.
public enum EraseReason: String, Codable, CaseIterable, Sendable {
    case deviceRevoked = "device-revoked"
    case listDeleted = "list-deleted"
    case accountSuspended = "account-suspended"
    case retentionDeadline = "retention-deadline"
    case noSync30Days = "no-sync-30-days"
}

/// Whether the last sync reached the service.
public enum Connection: String, Codable, CaseIterable, Sendable {
    case online = "online"
    case offline = "offline"
    case unknown = "unknown"
}

/// Names for the screen; `event` is null for an ongoing list.
public struct DeviceNames: Codable, Equatable, Sendable {
    public let event: String?
    public let list: String
    public let device: String

    public init(event: String?, list: String, device: String) {
        self.event = event
        self.list = list
        self.device = device
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encode(list, forKey: .list)
        try container.encode(device, forKey: .device)
    }
}

/// Check-ins to the organiser’s server.
public struct CheckInQueue: Codable, Equatable, Sendable {
    /// The list has an address that check-ins are sent to.
    public let configured: Bool
    /// Check-ins that the organiser’s server has not accepted yet.
    public let queued: Int
    /// Null before the first delivery since the start.
    public let lastDeliveredAtMs: Int?

    public init(configured: Bool, queued: Int, lastDeliveredAtMs: Int?) {
        self.configured = configured
        self.queued = queued
        self.lastDeliveredAtMs = lastDeliveredAtMs
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(configured, forKey: .configured)
        try container.encode(queued, forKey: .queued)
        try container.encode(lastDeliveredAtMs, forKey: .lastDeliveredAtMs)
    }
}

/// The build of the core that runs.
public enum CoreBuild: String, Codable, CaseIterable, Sendable {
    case simd = "simd"
    case scalar = "scalar"
}

/// Status for a readiness screen.
public struct DeviceStatus: Codable, Equatable, Sendable {
    /// True if the next scan leads to an attempt or to NotEnrolled.
    public let ready: Bool
    /// Null if the device is ready.
    public let notReady: NotReady?
    public let listId: String?
    public let deviceId: String?
    /// Null without a list.
    public let listVersion: Int?
    /// People on the device’s copy of the list.
    public let people: Int
    public let enrollmentClosed: Bool?
    /// `none` before the first sync.
    public let headTurnAlternative: HeadTurnAlternative
    /// Null without a list, and from services that send none.
    public let names: DeviceNames?
    /// `off` before the first sync.
    public let reEntry: ReEntryPolicy
    public let checkIns: CheckInQueue
    /// From then on every scan gives LeaseExpired, until a sync.
    public let leaseExpiresAtMs: Int?
    /// From then on nothing of the list is left on the device.
    public let retentionDeadlineMs: Int?
    /// The server’s time at the last authentic answer.
    public let lastSyncAtMs: Int?
    /// Null before the first since the start.
    public let lastSync: SyncResult?
    public let syncing: Bool
    public let connection: Connection
    /// Null while a sync runs and when none is planned.
    public let nextSyncAtMs: Int?
    /// Null while there is data or never was any.
    public let erased: EraseReason?
    /// Engines whose records this device can verify, the preferred one first.
    public let engineIds: [String]
    /// True if no part of the list is of these engines: every scan gives NotEnrolled.
    public let engineMismatch: Bool
    public let protections: Protections
    /// Frames that an attempt can look at in a second; null before it was measured.
    public let framesPerSecond: Double?
    /// `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.
    public let core: CoreBuild

    public init(ready: Bool, notReady: NotReady?, listId: String?, deviceId: String?, listVersion: Int?, people: Int, enrollmentClosed: Bool?, headTurnAlternative: HeadTurnAlternative, names: DeviceNames?, reEntry: ReEntryPolicy, checkIns: CheckInQueue, leaseExpiresAtMs: Int?, retentionDeadlineMs: Int?, lastSyncAtMs: Int?, lastSync: SyncResult?, syncing: Bool, connection: Connection, nextSyncAtMs: Int?, erased: EraseReason?, engineIds: [String], engineMismatch: Bool, protections: Protections, framesPerSecond: Double?, core: CoreBuild) {
        self.ready = ready
        self.notReady = notReady
        self.listId = listId
        self.deviceId = deviceId
        self.listVersion = listVersion
        self.people = people
        self.enrollmentClosed = enrollmentClosed
        self.headTurnAlternative = headTurnAlternative
        self.names = names
        self.reEntry = reEntry
        self.checkIns = checkIns
        self.leaseExpiresAtMs = leaseExpiresAtMs
        self.retentionDeadlineMs = retentionDeadlineMs
        self.lastSyncAtMs = lastSyncAtMs
        self.lastSync = lastSync
        self.syncing = syncing
        self.connection = connection
        self.nextSyncAtMs = nextSyncAtMs
        self.erased = erased
        self.engineIds = engineIds
        self.engineMismatch = engineMismatch
        self.protections = protections
        self.framesPerSecond = framesPerSecond
        self.core = core
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ready, forKey: .ready)
        try container.encode(notReady, forKey: .notReady)
        try container.encode(listId, forKey: .listId)
        try container.encode(deviceId, forKey: .deviceId)
        try container.encode(listVersion, forKey: .listVersion)
        try container.encode(people, forKey: .people)
        try container.encode(enrollmentClosed, forKey: .enrollmentClosed)
        try container.encode(headTurnAlternative, forKey: .headTurnAlternative)
        try container.encode(names, forKey: .names)
        try container.encode(reEntry, forKey: .reEntry)
        try container.encode(checkIns, forKey: .checkIns)
        try container.encode(leaseExpiresAtMs, forKey: .leaseExpiresAtMs)
        try container.encode(retentionDeadlineMs, forKey: .retentionDeadlineMs)
        try container.encode(lastSyncAtMs, forKey: .lastSyncAtMs)
        try container.encode(lastSync, forKey: .lastSync)
        try container.encode(syncing, forKey: .syncing)
        try container.encode(connection, forKey: .connection)
        try container.encode(nextSyncAtMs, forKey: .nextSyncAtMs)
        try container.encode(erased, forKey: .erased)
        try container.encode(engineIds, forKey: .engineIds)
        try container.encode(engineMismatch, forKey: .engineMismatch)
        try container.encode(protections, forKey: .protections)
        try container.encode(framesPerSecond, forKey: .framesPerSecond)
        try container.encode(core, forKey: .core)
    }
}

/// Answer to `keyStore.devicePublicKey`.
public struct PublicKeyAnswer: Codable, Equatable, Sendable {
    public let publicKey: String

    public init(publicKey: String) {
        self.publicKey = publicKey
    }
}

/// Whether there is such a key.
public struct HasAnswer: Codable, Equatable, Sendable {
    public let has: Bool

    public init(has: Bool) {
        self.has = has
    }
}

/// Body of `keyStore.mac`.
public struct MacRequest: Codable, Equatable, Sendable {
    public let message: String

    public init(message: String) {
        self.message = message
    }
}

/// HMAC-SHA-256.
public struct MacAnswer: Codable, Equatable, Sendable {
    public let mac: String

    public init(mac: String) {
        self.mac = mac
    }
}

/// A secret sealed to the device by HPKE.
public struct SealedSecret: Codable, Equatable, Sendable {
    public let enc: String
    public let ciphertext: String
    public let info: String

    public init(enc: String, ciphertext: String, info: String) {
        self.enc = enc
        self.ciphertext = ciphertext
        self.info = info
    }
}

/// The sealed key of one epoch.
public struct SealedEpoch: Codable, Equatable, Sendable {
    public let epoch: Int
    public let sealed: SealedSecret

    public init(epoch: Int, sealed: SealedSecret) {
        self.epoch = epoch
        self.sealed = sealed
    }
}

/// Sealed list keys that the shell opens and holds.
public struct OpenListKeysRequest: Codable, Equatable, Sendable {
    public let epochs: [SealedEpoch]
    public let checkInSecret: SealedSecret?

    public init(epochs: [SealedEpoch], checkInSecret: SealedSecret?) {
        self.epochs = epochs
        self.checkInSecret = checkInSecret
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(epochs, forKey: .epochs)
        try container.encode(checkInSecret, forKey: .checkInSecret)
    }
}

/// List keys that the shell holds.
public struct OpenedListKeys: Codable, Equatable, Sendable {
    public let handle: Int
    public let epochs: [Int]
    public let hasCheckInSecret: Bool

    public init(handle: Int, epochs: [Int], hasCheckInSecret: Bool) {
        self.handle = handle
        self.epochs = epochs
        self.hasCheckInSecret = hasCheckInSecret
    }
}

/// Answer to `keyStore.listKeys`.
public struct ListKeysAnswer: Codable, Equatable, Sendable {
    public let keys: OpenedListKeys?

    public init(keys: OpenedListKeys?) {
        self.keys = keys
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keys, forKey: .keys)
    }
}

/// Body of `keyStore.derive`: HKDF-SHA-256 of an epoch’s key.
public struct DeriveRequest: Codable, Equatable, Sendable {
    public let handle: Int
    public let epoch: Int
    public let salt: String
    public let info: String
    public let length: Int

    public init(handle: Int, epoch: Int, salt: String, info: String, length: Int) {
        self.handle = handle
        self.epoch = epoch
        self.salt = salt
        self.info = info
        self.length = length
    }
}

/// Body of `keyStore.deriveFromAdmissionKey`.
public struct DeriveFromAdmissionKeyRequest: Codable, Equatable, Sendable {
    public let salt: String
    public let info: String
    public let length: Int

    public init(salt: String, info: String, length: Int) {
        self.salt = salt
        self.info = info
        self.length = length
    }
}

/// Bytes that were derived or read.
public struct BytesAnswer: Codable, Equatable, Sendable {
    public let bytes: String

    public init(bytes: String) {
        self.bytes = bytes
    }
}

/// Body of `keyStore.signCheckIn`.
public struct SignCheckInRequest: Codable, Equatable, Sendable {
    public let handle: Int
    public let message: String

    public init(handle: Int, message: String) {
        self.handle = handle
        self.message = message
    }
}

/// HMAC-SHA-256 under the check-in secret; null without one.
public struct SignCheckInAnswer: Codable, Equatable, Sendable {
    public let signature: String?

    public init(signature: String?) {
        self.signature = signature
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signature, forKey: .signature)
    }
}

/// Stores opened list keys under a generation.
public struct KeepAsRequest: Codable, Equatable, Sendable {
    public let handle: Int
    public let generation: Int

    public init(handle: Int, generation: Int) {
        self.handle = handle
        self.generation = generation
    }
}

/// Body of requests about something that the shell holds.
public struct HandleRequest: Codable, Equatable, Sendable {
    public let handle: Int

    public init(handle: Int) {
        self.handle = handle
    }
}

/// Body of requests about a generation.
public struct GenerationRequest: Codable, Equatable, Sendable {
    public let generation: Int

    public init(generation: Int) {
        self.generation = generation
    }
}

/// Stored generations, in any order.
public struct GenerationsAnswer: Codable, Equatable, Sendable {
    public let generations: [Int]

    public init(generations: [Int]) {
        self.generations = generations
    }
}

/// The state record; null if none was written.
public struct ReadStateAnswer: Codable, Equatable, Sendable {
    public let state: String?

    public init(state: String?) {
        self.state = state
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
    }
}

/// Replaces the state record.
public struct WriteStateRequest: Codable, Equatable, Sendable {
    public let state: String

    public init(state: String) {
        self.state = state
    }
}

/// A pack that is being written.
public struct Upload: Codable, Equatable, Sendable {
    public let upload: Int

    public init(upload: Int) {
        self.upload = upload
    }
}

/// Adds a chunk at the pack’s end.
public struct AppendPackRequest: Codable, Equatable, Sendable {
    public let upload: Int
    public let offset: Int
    public let chunk: String

    public init(upload: Int, offset: Int, chunk: String) {
        self.upload = upload
        self.offset = offset
        self.chunk = chunk
    }
}

/// A pack that is read in ranges.
public struct OpenedPack: Codable, Equatable, Sendable {
    public let handle: Int
    public let byteLength: Int

    public init(handle: Int, byteLength: Int) {
        self.handle = handle
        self.byteLength = byteLength
    }
}

/// Answer to `packStore.openPack`.
public struct OpenPackAnswer: Codable, Equatable, Sendable {
    public let pack: OpenedPack?

    public init(pack: OpenedPack?) {
        self.pack = pack
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pack, forKey: .pack)
    }
}

/// Body of `packStore.readPack`.
public struct ReadPackRequest: Codable, Equatable, Sendable {
    public let handle: Int
    public let offset: Int
    public let length: Int

    public init(handle: Int, offset: Int, length: Int) {
        self.handle = handle
        self.offset = offset
        self.length = length
    }
}

/// Body of requests about a page of the log of admissions.
public struct LogPageRequest: Codable, Equatable, Sendable {
    public let page: Int

    public init(page: Int) {
        self.page = page
    }
}

/// Content of a page; null if there is none.
public struct ReadLogPageAnswer: Codable, Equatable, Sendable {
    public let content: String?

    public init(content: String?) {
        self.content = content
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(content, forKey: .content)
    }
}

/// Replaces a page.
public struct WriteLogPageRequest: Codable, Equatable, Sendable {
    public let page: Int
    public let content: String

    public init(page: Int, content: String) {
        self.page = page
        self.content = content
    }
}

/// Stored pages, in any order.
public struct LogPagesAnswer: Codable, Equatable, Sendable {
    public let pages: [Int]

    public init(pages: [Int]) {
        self.pages = pages
    }
}

/// HTTP method.
public enum HttpMethod: String, Codable, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
}

/// One HTTP request. The body comes with POST alone.
public struct TransportBeginRequest: Codable, Equatable, Sendable {
    public let transfer: Int
    public let method: HttpMethod
    public let url: String
    public let headers: [String: String]
    public let body: String?

    public init(transfer: Int, method: HttpMethod, url: String, headers: [String: String], body: String? = nil) {
        self.transfer = transfer
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// Status and headers of the answer; the body is pulled by `transport.read`.
public struct TransportBeginAnswer: Codable, Equatable, Sendable {
    public let status: Int
    public let mediaType: String
    public let contentLength: Int?

    public init(status: Int, mediaType: String, contentLength: Int?) {
        self.status = status
        self.mediaType = mediaType
        self.contentLength = contentLength
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(mediaType, forKey: .mediaType)
        try container.encode(contentLength, forKey: .contentLength)
    }
}

/// Body of requests about a transfer.
public struct TransferRequest: Codable, Equatable, Sendable {
    public let transfer: Int

    public init(transfer: Int) {
        self.transfer = transfer
    }
}

/// The next bytes of the body; `done` with the last ones.
public struct TransportReadAnswer: Codable, Equatable, Sendable {
    public let chunk: String
    public let done: Bool

    public init(chunk: String, done: Bool) {
        self.chunk = chunk
        self.done = done
    }
}

/// The permission of the app for the camera.
public enum CameraPermission: String, Codable, CaseIterable, Sendable {
    case granted = "granted"
    case denied = "denied"
    case restricted = "restricted"
}

/// Answer to `camera.requestPermission`.
public struct CameraPermissionAnswer: Codable, Equatable, Sendable {
    public let permission: CameraPermission

    public init(permission: CameraPermission) {
        self.permission = permission
    }
}

/// The time at which the shell itself erases; null: never.
public struct GuardRequest: Codable, Equatable, Sendable {
    public let eraseAtMs: Int?

    public init(eraseAtMs: Int?) {
        self.eraseAtMs = eraseAtMs
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(eraseAtMs, forKey: .eraseAtMs)
    }
}
