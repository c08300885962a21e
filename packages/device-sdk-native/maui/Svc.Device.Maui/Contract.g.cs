// Written by scripts/generate.ts from contract/v1.schema.json.

#nullable enable

using System.Text.Json;
using System.Text.Json.Serialization;

namespace Svc.Device.Contract;

/// <summary>Reads and writes the contract’s own values alone, never numbers.</summary>
public sealed class ClosedEnum<T>() : JsonStringEnumConverter<T>(null, false) where T : struct, Enum;

/// <summary>The check after the first match.</summary>
[JsonConverter(typeof(ClosedEnum<ActiveCheck>))]
public enum ActiveCheck
{
    [JsonStringEnumMemberName("head-turn")] HeadTurn,
    [JsonStringEnumMemberName("light")] Light,
    [JsonStringEnumMemberName("staff")] Staff,
}

/// <summary>
/// A check that follows if the face matches.
///
/// The colours of the light challenge follow if the face matches: announce them.
/// </summary>
[JsonConverter(typeof(ClosedEnum<AnnouncedCheck>))]
public enum AnnouncedCheck
{
    [JsonStringEnumMemberName("light")] Light,
}

/// <summary>Body of `cancel` and `confirmByStaff`.</summary>
public sealed record AttemptRequest
{
    [JsonPropertyName("attempt")]
    public required string Attempt { get; init; }
}

/// <summary>Which camera.</summary>
[JsonConverter(typeof(ClosedEnum<CameraFacing>))]
public enum CameraFacing
{
    [JsonStringEnumMemberName("environment")] Environment,
    [JsonStringEnumMemberName("user")] User,
}

/// <summary>Check-ins to the organiser’s server.</summary>
public sealed record CheckInQueue
{
    /// <summary>The list has an address that check-ins are sent to.</summary>
    [JsonPropertyName("configured")]
    public required bool Configured { get; init; }

    /// <summary>Check-ins that the organiser’s server has not accepted yet.</summary>
    [JsonPropertyName("queued")]
    public required long Queued { get; init; }

    /// <summary>Null before the first delivery since the start.</summary>
    [JsonPropertyName("lastDeliveredAtMs")]
    public required long? LastDeliveredAtMs { get; init; }
}

/// <summary>The first request of a session.</summary>
public sealed record ConfigureRequest
{
    [JsonPropertyName("minor")]
    public required long Minor { get; init; }

    /// <summary>`svcd_…`, shown once when the device was added.</summary>
    [JsonPropertyName("deviceToken")]
    public required string DeviceToken { get; init; }

    [JsonPropertyName("region")]
    public required Region Region { get; init; }

    [JsonPropertyName("passiveLiveness")]
    public required PassiveLiveness PassiveLiveness { get; init; }

    [JsonPropertyName("lightChallenge")]
    public required LightChallenge LightChallenge { get; init; }

    /// <summary>Maximum size of a sync answer; 256 MiB if absent.</summary>
    [JsonPropertyName("maxSyncBytes"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? MaxSyncBytes { get; init; }

    /// <summary>Of each sync request with its answer; two minutes if absent.</summary>
    [JsonPropertyName("syncTimeoutMs"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? SyncTimeoutMs { get; init; }

    /// <summary>Of the page’s prompts, BCP 47; the system’s if absent.</summary>
    [JsonPropertyName("language"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Language { get; init; }

    [JsonPropertyName("prompts")]
    public required PromptsBy Prompts { get; init; }

    [JsonPropertyName("camera")]
    public required CameraFacing Camera { get; init; }

    [JsonPropertyName("shell")]
    public required ShellInfo Shell { get; init; }
}

/// <summary>Whether the light challenge runs where the camera has a screen light.</summary>
[JsonConverter(typeof(ClosedEnum<LightChallenge>))]
public enum LightChallenge
{
    [JsonStringEnumMemberName("off")] Off,
    [JsonStringEnumMemberName("when-possible")] WhenPossible,
}

/// <summary>Whether a passive model has to run, or staff watch every attempt.</summary>
[JsonConverter(typeof(ClosedEnum<PassiveLiveness>))]
public enum PassiveLiveness
{
    [JsonStringEnumMemberName("absent-staff-in-view")] AbsentStaffInView,
    [JsonStringEnumMemberName("required")] Required,
}

/// <summary>Who draws the prompts: the page, or the host app.</summary>
[JsonConverter(typeof(ClosedEnum<PromptsBy>))]
public enum PromptsBy
{
    [JsonStringEnumMemberName("host")] Host,
    [JsonStringEnumMemberName("page")] Page,
}

/// <summary>
/// A named region, or a deployment’s own address with its signing keys: Ed25519, the current
/// one and the next.
/// </summary>
public sealed record Region : IJsonOnDeserialized
{
    [JsonPropertyName("name"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public RegionName? Name { get; init; }

    [JsonPropertyName("baseUrl"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? BaseUrl { get; init; }

    [JsonPropertyName("signingKeys"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public List<string>? SigningKeys { get; init; }

    /// <summary>Whether its members belong together, as in one of the forms that the contract has.</summary>
    [JsonIgnore]
    public bool IsOneForm =>
        (Name is not null) ||
        (BaseUrl is not null && SigningKeys is not null);

    void IJsonOnDeserialized.OnDeserialized()
    {
        if (!IsOneForm) throw new JsonException("its members do not belong together");
    }
}

/// <summary>A named region, whose address and keys are in the build.</summary>
[JsonConverter(typeof(ClosedEnum<RegionName>))]
public enum RegionName
{
    [JsonStringEnumMemberName("EU")] Eu,
    [JsonStringEnumMemberName("US")] Us,
}

/// <summary>What the shell is.</summary>
public sealed record ShellInfo
{
    [JsonPropertyName("platform")]
    public required Platform Platform { get; init; }

    [JsonPropertyName("version")]
    public required string Version { get; init; }

    [JsonPropertyName("osVersion")]
    public required string OsVersion { get; init; }
}

/// <summary>The shell’s platform.</summary>
[JsonConverter(typeof(ClosedEnum<Platform>))]
public enum Platform
{
    [JsonStringEnumMemberName("android")] Android,
    [JsonStringEnumMemberName("flutter")] Flutter,
    [JsonStringEnumMemberName("ios")] Ios,
    [JsonStringEnumMemberName("maui")] Maui,
    [JsonStringEnumMemberName("react-native")] ReactNative,
    [JsonStringEnumMemberName("test")] Test,
}

/// <summary>Whether the last sync reached the service.</summary>
[JsonConverter(typeof(ClosedEnum<Connection>))]
public enum Connection
{
    [JsonStringEnumMemberName("offline")] Offline,
    [JsonStringEnumMemberName("online")] Online,
    [JsonStringEnumMemberName("unknown")] Unknown,
}

/// <summary>
/// The build of the core that runs.
///
/// `scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.
/// </summary>
[JsonConverter(typeof(ClosedEnum<CoreBuild>))]
public enum CoreBuild
{
    [JsonStringEnumMemberName("scalar")] Scalar,
    [JsonStringEnumMemberName("simd")] Simd,
}

/// <summary>Names for the screen; `event` is null for an ongoing list.</summary>
public sealed record DeviceNames
{
    [JsonPropertyName("event")]
    public required string? Event { get; init; }

    [JsonPropertyName("list")]
    public required string List { get; init; }

    [JsonPropertyName("device")]
    public required string Device { get; init; }
}

/// <summary>Status for a readiness screen.</summary>
public sealed record DeviceStatus
{
    /// <summary>True if the next scan leads to an attempt or to NotEnrolled.</summary>
    [JsonPropertyName("ready")]
    public required bool Ready { get; init; }

    /// <summary>Null if the device is ready.</summary>
    [JsonPropertyName("notReady")]
    public required NotReady? NotReady { get; init; }

    [JsonPropertyName("listId")]
    public required string? ListId { get; init; }

    [JsonPropertyName("deviceId")]
    public required string? DeviceId { get; init; }

    /// <summary>Null without a list.</summary>
    [JsonPropertyName("listVersion")]
    public required long? ListVersion { get; init; }

    /// <summary>People on the device’s copy of the list.</summary>
    [JsonPropertyName("people")]
    public required long People { get; init; }

    [JsonPropertyName("enrollmentClosed")]
    public required bool? EnrollmentClosed { get; init; }

    /// <summary>`none` before the first sync.</summary>
    [JsonPropertyName("headTurnAlternative")]
    public required HeadTurnAlternative HeadTurnAlternative { get; init; }

    /// <summary>Null without a list, and from services that send none.</summary>
    [JsonPropertyName("names")]
    public required DeviceNames? Names { get; init; }

    /// <summary>`off` before the first sync.</summary>
    [JsonPropertyName("reEntry")]
    public required ReEntryPolicy ReEntry { get; init; }

    [JsonPropertyName("checkIns")]
    public required CheckInQueue CheckIns { get; init; }

    /// <summary>From then on every scan gives LeaseExpired, until a sync.</summary>
    [JsonPropertyName("leaseExpiresAtMs")]
    public required long? LeaseExpiresAtMs { get; init; }

    /// <summary>From then on nothing of the list is left on the device.</summary>
    [JsonPropertyName("retentionDeadlineMs")]
    public required long? RetentionDeadlineMs { get; init; }

    /// <summary>The server’s time at the last authentic answer.</summary>
    [JsonPropertyName("lastSyncAtMs")]
    public required long? LastSyncAtMs { get; init; }

    /// <summary>Null before the first since the start.</summary>
    [JsonPropertyName("lastSync")]
    public required SyncResult? LastSync { get; init; }

    [JsonPropertyName("syncing")]
    public required bool Syncing { get; init; }

    [JsonPropertyName("connection")]
    public required Connection Connection { get; init; }

    /// <summary>Null while a sync runs and when none is planned.</summary>
    [JsonPropertyName("nextSyncAtMs")]
    public required long? NextSyncAtMs { get; init; }

    /// <summary>Null while there is data or never was any.</summary>
    [JsonPropertyName("erased")]
    public required EraseReason? Erased { get; init; }

    /// <summary>Engines whose records this device can verify, the preferred one first.</summary>
    [JsonPropertyName("engineIds")]
    public required List<string> EngineIds { get; init; }

    /// <summary>True if no part of the list is of these engines: every scan gives NotEnrolled.</summary>
    [JsonPropertyName("engineMismatch")]
    public required bool EngineMismatch { get; init; }

    [JsonPropertyName("protections")]
    public required Protections Protections { get; init; }

    /// <summary>Frames that an attempt can look at in a second; null before it was measured.</summary>
    [JsonPropertyName("framesPerSecond")]
    public required double? FramesPerSecond { get; init; }

    /// <summary>`scalar` where the WebView has no WebAssembly SIMD: slower, with the same results.</summary>
    [JsonPropertyName("core")]
    public required CoreBuild Core { get; init; }
}

/// <summary>Why the data was deleted.</summary>
[JsonConverter(typeof(ClosedEnum<EraseReason>))]
public enum EraseReason
{
    [JsonStringEnumMemberName("account-suspended")] AccountSuspended,
    [JsonStringEnumMemberName("device-revoked")] DeviceRevoked,
    [JsonStringEnumMemberName("list-deleted")] ListDeleted,
    [JsonStringEnumMemberName("no-sync-30-days")] NoSync30Days,
    [JsonStringEnumMemberName("retention-deadline")] RetentionDeadline,
}

/// <summary>
/// `none` before the first sync.
///
/// What people who cannot turn their head do instead.
/// </summary>
[JsonConverter(typeof(ClosedEnum<HeadTurnAlternative>))]
public enum HeadTurnAlternative
{
    [JsonStringEnumMemberName("light")] Light,
    [JsonStringEnumMemberName("none")] None,
    [JsonStringEnumMemberName("staff")] Staff,
}

/// <summary>
/// Result of a sync. `outcome` comes with success, `listVersion` and `people` with a list,
/// `reason` with a wipe and with a failure.
/// </summary>
public sealed record SyncResult : IJsonOnDeserialized
{
    [JsonPropertyName("ok")]
    public required bool Ok { get; init; }

    [JsonPropertyName("outcome"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SyncOutcome? Outcome { get; init; }

    [JsonPropertyName("listVersion"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? ListVersion { get; init; }

    [JsonPropertyName("people"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? People { get; init; }

    [JsonPropertyName("reason"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SyncReason? Reason { get; init; }

    /// <summary>Whether its members belong together, as in one of the forms that the contract has.</summary>
    [JsonIgnore]
    public bool IsOneForm =>
        (Ok && Outcome is SyncOutcome.Updated or SyncOutcome.Unchanged && ListVersion is not null && People is not null) ||
        (Ok && Outcome is SyncOutcome.Wiped && Reason is SyncReason.DeviceRevoked or SyncReason.ListDeleted or SyncReason.AccountSuspended or SyncReason.RetentionDeadline) ||
        (!Ok && Reason is SyncReason.Offline or SyncReason.TimedOut or SyncReason.Unauthorised or SyncReason.DeviceKeyMismatch or SyncReason.RateLimited or SyncReason.ServerError or SyncReason.UnexpectedAnswer or SyncReason.TooLong or SyncReason.EnvelopeInvalid or SyncReason.UnknownSigningKey or SyncReason.SignatureInvalid or SyncReason.ManifestInvalid or SyncReason.OtherDevice or SyncReason.OtherList or SyncReason.OtherNonce or SyncReason.VersionRolledBack or SyncReason.VersionConflict or SyncReason.ManifestExpired or SyncReason.PayloadHashMismatch or SyncReason.BaseMismatch or SyncReason.DeltaInvalid or SyncReason.PackInvalid or SyncReason.StateHashMismatch or SyncReason.ListKeyUnopenable or SyncReason.CheckRecordUnopenable or SyncReason.CheckInSecretUnopenable or SyncReason.ErasedForGood or SyncReason.StorageFailed or SyncReason.Disposed);

    void IJsonOnDeserialized.OnDeserialized()
    {
        if (!IsOneForm) throw new JsonException("its members do not belong together");
    }
}

/// <summary>What a sync did.</summary>
[JsonConverter(typeof(ClosedEnum<SyncOutcome>))]
public enum SyncOutcome
{
    [JsonStringEnumMemberName("unchanged")] Unchanged,
    [JsonStringEnumMemberName("updated")] Updated,
    [JsonStringEnumMemberName("wiped")] Wiped,
}

/// <summary>Reason of a wipe or of a failure.</summary>
[JsonConverter(typeof(ClosedEnum<SyncReason>))]
public enum SyncReason
{
    [JsonStringEnumMemberName("account-suspended")] AccountSuspended,
    [JsonStringEnumMemberName("base-mismatch")] BaseMismatch,
    [JsonStringEnumMemberName("check-in-secret-unopenable")] CheckInSecretUnopenable,
    [JsonStringEnumMemberName("check-record-unopenable")] CheckRecordUnopenable,
    [JsonStringEnumMemberName("delta-invalid")] DeltaInvalid,
    [JsonStringEnumMemberName("device-key-mismatch")] DeviceKeyMismatch,
    [JsonStringEnumMemberName("device-revoked")] DeviceRevoked,
    [JsonStringEnumMemberName("disposed")] Disposed,
    [JsonStringEnumMemberName("envelope-invalid")] EnvelopeInvalid,
    [JsonStringEnumMemberName("erased-for-good")] ErasedForGood,
    [JsonStringEnumMemberName("list-deleted")] ListDeleted,
    [JsonStringEnumMemberName("list-key-unopenable")] ListKeyUnopenable,
    [JsonStringEnumMemberName("manifest-expired")] ManifestExpired,
    [JsonStringEnumMemberName("manifest-invalid")] ManifestInvalid,
    [JsonStringEnumMemberName("offline")] Offline,
    [JsonStringEnumMemberName("other-device")] OtherDevice,
    [JsonStringEnumMemberName("other-list")] OtherList,
    [JsonStringEnumMemberName("other-nonce")] OtherNonce,
    [JsonStringEnumMemberName("pack-invalid")] PackInvalid,
    [JsonStringEnumMemberName("payload-hash-mismatch")] PayloadHashMismatch,
    [JsonStringEnumMemberName("rate-limited")] RateLimited,
    [JsonStringEnumMemberName("retention-deadline")] RetentionDeadline,
    [JsonStringEnumMemberName("server-error")] ServerError,
    [JsonStringEnumMemberName("signature-invalid")] SignatureInvalid,
    [JsonStringEnumMemberName("state-hash-mismatch")] StateHashMismatch,
    [JsonStringEnumMemberName("storage-failed")] StorageFailed,
    [JsonStringEnumMemberName("timed-out")] TimedOut,
    [JsonStringEnumMemberName("too-long")] TooLong,
    [JsonStringEnumMemberName("unauthorised")] Unauthorised,
    [JsonStringEnumMemberName("unexpected-answer")] UnexpectedAnswer,
    [JsonStringEnumMemberName("unknown-signing-key")] UnknownSigningKey,
    [JsonStringEnumMemberName("version-conflict")] VersionConflict,
    [JsonStringEnumMemberName("version-rolled-back")] VersionRolledBack,
}

/// <summary>Why a device cannot verify now.</summary>
public sealed record NotReady : IJsonOnDeserialized
{
    [JsonPropertyName("outcome")]
    public required NotReadyOutcome Outcome { get; init; }

    [JsonPropertyName("reason")]
    public required NotReadyReason Reason { get; init; }

    /// <summary>Whether its members belong together, as in one of the forms that the contract has.</summary>
    [JsonIgnore]
    public bool IsOneForm =>
        (Outcome is NotReadyOutcome.LeaseExpired && Reason is NotReadyReason.NeverSynced or NotReadyReason.LeaseExpired or NotReadyReason.ClockBehind or NotReadyReason.DeviceRevoked or NotReadyReason.ListDeleted or NotReadyReason.AccountSuspended or NotReadyReason.NoSync30Days or NotReadyReason.StateUntrusted or NotReadyReason.StorageFailed or NotReadyReason.TooSlow) ||
        (Outcome is NotReadyOutcome.Expired && Reason is NotReadyReason.ListDeadline or NotReadyReason.PersonDeadline);

    void IJsonOnDeserialized.OnDeserialized()
    {
        if (!IsOneForm) throw new JsonException("its members do not belong together");
    }
}

/// <summary>Outcome of every scan while the device cannot verify.</summary>
[JsonConverter(typeof(ClosedEnum<NotReadyOutcome>))]
public enum NotReadyOutcome
{
    [JsonStringEnumMemberName("Expired")] Expired,
    [JsonStringEnumMemberName("LeaseExpired")] LeaseExpired,
}

/// <summary>Reason of that outcome.</summary>
[JsonConverter(typeof(ClosedEnum<NotReadyReason>))]
public enum NotReadyReason
{
    [JsonStringEnumMemberName("account-suspended")] AccountSuspended,
    [JsonStringEnumMemberName("clock-behind")] ClockBehind,
    [JsonStringEnumMemberName("device-revoked")] DeviceRevoked,
    [JsonStringEnumMemberName("lease-expired")] LeaseExpired,
    [JsonStringEnumMemberName("list-deadline")] ListDeadline,
    [JsonStringEnumMemberName("list-deleted")] ListDeleted,
    [JsonStringEnumMemberName("never-synced")] NeverSynced,
    [JsonStringEnumMemberName("no-sync-30-days")] NoSync30Days,
    [JsonStringEnumMemberName("person-deadline")] PersonDeadline,
    [JsonStringEnumMemberName("state-untrusted")] StateUntrusted,
    [JsonStringEnumMemberName("storage-failed")] StorageFailed,
    [JsonStringEnumMemberName("too-slow")] TooSlow,
}

/// <summary>Protections that were active for the outcome.</summary>
public sealed record Protections
{
    [JsonPropertyName("passive")]
    public required PassiveCheck Passive { get; init; }

    /// <summary>Version of the passive score’s calibration; null without a passive check.</summary>
    [JsonPropertyName("passiveCalibration")]
    public required string? PassiveCalibration { get; init; }

    [JsonPropertyName("active")]
    public required ActiveCheck Active { get; init; }

    [JsonPropertyName("light")]
    public required LightProtection Light { get; init; }
}

/// <summary>What became of the light challenge.</summary>
[JsonConverter(typeof(ClosedEnum<LightProtection>))]
public enum LightProtection
{
    [JsonStringEnumMemberName("abstained")] Abstained,
    [JsonStringEnumMemberName("answered")] Answered,
    [JsonStringEnumMemberName("not-answered")] NotAnswered,
    [JsonStringEnumMemberName("off")] Off,
    [JsonStringEnumMemberName("when-possible")] WhenPossible,
}

/// <summary>The model of the passive check, or the operator’s declaration that staff watch.</summary>
[JsonConverter(typeof(ClosedEnum<PassiveCheck>))]
public enum PassiveCheck
{
    [JsonStringEnumMemberName("absent-staff-in-view")] AbsentStaffInView,
    [JsonStringEnumMemberName("minifasnet")] Minifasnet,
    [JsonStringEnumMemberName("presence")] Presence,
    [JsonStringEnumMemberName("presence-minifasnet")] PresenceMinifasnet,
}

/// <summary>
/// `off` before the first sync.
///
/// What happens to people who come again.
/// </summary>
[JsonConverter(typeof(ClosedEnum<ReEntryPolicy>))]
public enum ReEntryPolicy
{
    [JsonStringEnumMemberName("off")] Off,
    [JsonStringEnumMemberName("refuse")] Refuse,
    [JsonStringEnumMemberName("warn")] Warn,
}

/// <summary>
/// Body of a failure and of the event `fault`. The message is English, for developers; it
/// has no secret, no id of a person, no score and no picture.
/// </summary>
public sealed record Failure
{
    [JsonPropertyName("code")]
    public required FailureCode Code { get; init; }

    [JsonPropertyName("message")]
    public required string Message { get; init; }
}

/// <summary>Why a request failed.</summary>
[JsonConverter(typeof(ClosedEnum<FailureCode>))]
public enum FailureCode
{
    [JsonStringEnumMemberName("busy")] Busy,
    [JsonStringEnumMemberName("camera-denied")] CameraDenied,
    [JsonStringEnumMemberName("cancelled")] Cancelled,
    [JsonStringEnumMemberName("configuration-invalid")] ConfigurationInvalid,
    [JsonStringEnumMemberName("device-in-use")] DeviceInUse,
    [JsonStringEnumMemberName("disposed")] Disposed,
    [JsonStringEnumMemberName("golden-mismatch")] GoldenMismatch,
    [JsonStringEnumMemberName("message-invalid")] MessageInvalid,
    [JsonStringEnumMemberName("model-mismatch")] ModelMismatch,
    [JsonStringEnumMemberName("model-missing")] ModelMissing,
    [JsonStringEnumMemberName("not-configured")] NotConfigured,
    [JsonStringEnumMemberName("offline")] Offline,
    [JsonStringEnumMemberName("open-failed")] OpenFailed,
    [JsonStringEnumMemberName("passive-liveness-missing")] PassiveLivenessMissing,
    [JsonStringEnumMemberName("renderer-gone")] RendererGone,
    [JsonStringEnumMemberName("runtime-failed")] RuntimeFailed,
    [JsonStringEnumMemberName("storage-failed")] StorageFailed,
    [JsonStringEnumMemberName("timeout")] Timeout,
    [JsonStringEnumMemberName("too-large")] TooLarge,
    [JsonStringEnumMemberName("too-slow")] TooSlow,
    [JsonStringEnumMemberName("unknown-name")] UnknownName,
    [JsonStringEnumMemberName("version-unsupported")] VersionUnsupported,
    [JsonStringEnumMemberName("webassembly-missing")] WebassemblyMissing,
    [JsonStringEnumMemberName("webview-too-old")] WebviewTooOld,
}

/// <summary>Whether the head turn is asked for, or the list’s alternative.</summary>
[JsonConverter(typeof(ClosedEnum<HeadTurn>))]
public enum HeadTurn
{
    [JsonStringEnumMemberName("alternative")] Alternative,
    [JsonStringEnumMemberName("asked")] Asked,
}

/// <summary>The first message of a session; the session is also in its envelope.</summary>
public sealed record Hello
{
    [JsonPropertyName("minor")]
    public required long Minor { get; init; }

    [JsonPropertyName("sdkVersion")]
    public required string SdkVersion { get; init; }

    [JsonPropertyName("session")]
    public required string Session { get; init; }
}

/// <summary>Body of `lifecycle`.</summary>
public sealed record LifecycleRequest
{
    [JsonPropertyName("state")]
    public required LifecycleState State { get; init; }
}

/// <summary>State of the host app.</summary>
[JsonConverter(typeof(ClosedEnum<LifecycleState>))]
public enum LifecycleState
{
    [JsonStringEnumMemberName("background")] Background,
    [JsonStringEnumMemberName("foreground")] Foreground,
    [JsonStringEnumMemberName("low-memory")] LowMemory,
}

/// <summary>What the device’s log of admissions says of a match.</summary>
public sealed record MatchAdmission
{
    /// <summary>The admission is stored: check-ins tell of it.</summary>
    [JsonPropertyName("recorded")]
    public required bool Recorded { get; init; }

    /// <summary>When this device last let the person in; null for the first time.</summary>
    [JsonPropertyName("alreadyAdmittedAtMs")]
    public required long? AlreadyAdmittedAtMs { get; init; }
}

/// <summary>The current instruction to the person.</summary>
public sealed record Prompt
{
    [JsonPropertyName("key")]
    public required PromptKey Key { get; init; }

    /// <summary>Only with `turn-head`.</summary>
    [JsonPropertyName("direction"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public TurnDirection? Direction { get; init; }

    /// <summary>Absent if nothing needs to change.</summary>
    [JsonPropertyName("hint"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PromptHint? Hint { get; init; }

    /// <summary>
    /// True while the screen shows the colours of the light challenge: the person looks and
    /// holds still.
    /// </summary>
    [JsonPropertyName("light"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public bool? Light { get; init; }

    /// <summary>The colours of the light challenge follow if the face matches: announce them.</summary>
    [JsonPropertyName("next"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public AnnouncedCheck? Next { get; init; }

    /// <summary>Of the whole attempt, in steps of a twentieth; never reveals a score.</summary>
    [JsonPropertyName("progress")]
    public required double Progress { get; init; }

    /// <summary>Of the ten seconds; the whole window until the first frame.</summary>
    [JsonPropertyName("remainingMs")]
    public required long RemainingMs { get; init; }
}

/// <summary>
/// Only with `turn-head`.
///
/// Direction from the person’s own point of view.
/// </summary>
[JsonConverter(typeof(ClosedEnum<TurnDirection>))]
public enum TurnDirection
{
    [JsonStringEnumMemberName("left")] Left,
    [JsonStringEnumMemberName("right")] Right,
}

/// <summary>
/// Absent if nothing needs to change.
///
/// A hint for a better view of the face, shown beside the prompt.
/// </summary>
[JsonConverter(typeof(ClosedEnum<PromptHint>))]
public enum PromptHint
{
    [JsonStringEnumMemberName("come-closer")] ComeCloser,
    [JsonStringEnumMemberName("hold-still")] HoldStill,
    [JsonStringEnumMemberName("less-light")] LessLight,
    [JsonStringEnumMemberName("more-light")] MoreLight,
    [JsonStringEnumMemberName("step-back")] StepBack,
}

/// <summary>What the person is asked to do.</summary>
[JsonConverter(typeof(ClosedEnum<PromptKey>))]
public enum PromptKey
{
    [JsonStringEnumMemberName("finished")] Finished,
    [JsonStringEnumMemberName("look-at-camera")] LookAtCamera,
    [JsonStringEnumMemberName("look-back")] LookBack,
    [JsonStringEnumMemberName("one-person-only")] OnePersonOnly,
    [JsonStringEnumMemberName("staff-confirms")] StaffConfirms,
    [JsonStringEnumMemberName("step-into-view")] StepIntoView,
    [JsonStringEnumMemberName("turn-head")] TurnHead,
}

/// <summary>Body of the event `prompt`. Null: the attempt ended.</summary>
public sealed record PromptEvent
{
    [JsonPropertyName("attempt")]
    public required string Attempt { get; init; }

    [JsonPropertyName("prompt")]
    public required Prompt? Prompt { get; init; }
}

/// <summary>Body of the event `status` and of the answers to `configure` and `status`.</summary>
public sealed record StatusBody
{
    [JsonPropertyName("status")]
    public required DeviceStatus Status { get; init; }
}

/// <summary>Answer to `sync`.</summary>
public sealed record SyncAnswer
{
    [JsonPropertyName("result")]
    public required SyncResult Result { get; init; }
}

/// <summary>Answer to `takeBackAdmission`.</summary>
public sealed record TakeBackAnswer
{
    [JsonPropertyName("outcome")]
    public required TakeBackOutcome Outcome { get; init; }
}

/// <summary>Whether there was an admission to take back.</summary>
[JsonConverter(typeof(ClosedEnum<TakeBackOutcome>))]
public enum TakeBackOutcome
{
    [JsonStringEnumMemberName("not-admitted")] NotAdmitted,
    [JsonStringEnumMemberName("taken-back")] TakenBack,
}

/// <summary>Body of `takeBackAdmission`.</summary>
public sealed record TakeBackRequest
{
    [JsonPropertyName("scannedId")]
    public required string ScannedId { get; init; }
}

/// <summary>Counters of the attempt.</summary>
public sealed record VerificationCounts
{
    [JsonPropertyName("framesAnalysed")]
    public required long FramesAnalysed { get; init; }

    /// <summary>Frames skipped because a newer one arrived while the device was busy.</summary>
    [JsonPropertyName("framesDropped")]
    public required long FramesDropped { get; init; }

    [JsonPropertyName("framesUnscorable")]
    public required long FramesUnscorable { get; init; }

    [JsonPropertyName("embeddings")]
    public required long Embeddings { get; init; }

    [JsonPropertyName("detections")]
    public required long Detections { get; init; }
}

/// <summary>Outcome of an attempt.</summary>
[JsonConverter(typeof(ClosedEnum<VerificationOutcome>))]
public enum VerificationOutcome
{
    [JsonStringEnumMemberName("ChallengeFailed")] ChallengeFailed,
    [JsonStringEnumMemberName("Expired")] Expired,
    [JsonStringEnumMemberName("LeaseExpired")] LeaseExpired,
    [JsonStringEnumMemberName("LivenessFailed")] LivenessFailed,
    [JsonStringEnumMemberName("Match")] Match,
    [JsonStringEnumMemberName("NoFace")] NoFace,
    [JsonStringEnumMemberName("NoMatch")] NoMatch,
    [JsonStringEnumMemberName("NotEnrolled")] NotEnrolled,
}

/// <summary>Reason of an outcome.</summary>
[JsonConverter(typeof(ClosedEnum<VerificationReason>))]
public enum VerificationReason
{
    [JsonStringEnumMemberName("account-suspended")] AccountSuspended,
    [JsonStringEnumMemberName("already-let-in")] AlreadyLetIn,
    [JsonStringEnumMemberName("attack-frame")] AttackFrame,
    [JsonStringEnumMemberName("attempt-in-progress")] AttemptInProgress,
    [JsonStringEnumMemberName("below-threshold")] BelowThreshold,
    [JsonStringEnumMemberName("camera-denied")] CameraDenied,
    [JsonStringEnumMemberName("camera-failed")] CameraFailed,
    [JsonStringEnumMemberName("cancelled")] Cancelled,
    [JsonStringEnumMemberName("clock-behind")] ClockBehind,
    [JsonStringEnumMemberName("device-revoked")] DeviceRevoked,
    [JsonStringEnumMemberName("disposed")] Disposed,
    [JsonStringEnumMemberName("engine-failed")] EngineFailed,
    [JsonStringEnumMemberName("engine-mismatch")] EngineMismatch,
    [JsonStringEnumMemberName("face-lost")] FaceLost,
    [JsonStringEnumMemberName("face-swapped")] FaceSwapped,
    [JsonStringEnumMemberName("id-invalid")] IdInvalid,
    [JsonStringEnumMemberName("lease-expired")] LeaseExpired,
    [JsonStringEnumMemberName("light-not-answered")] LightNotAnswered,
    [JsonStringEnumMemberName("light-not-held")] LightNotHeld,
    [JsonStringEnumMemberName("list-deadline")] ListDeadline,
    [JsonStringEnumMemberName("list-deleted")] ListDeleted,
    [JsonStringEnumMemberName("narrowed")] Narrowed,
    [JsonStringEnumMemberName("never-scorable")] NeverScorable,
    [JsonStringEnumMemberName("never-synced")] NeverSynced,
    [JsonStringEnumMemberName("no-alternative")] NoAlternative,
    [JsonStringEnumMemberName("no-face")] NoFace,
    [JsonStringEnumMemberName("no-frames")] NoFrames,
    [JsonStringEnumMemberName("no-parallax")] NoParallax,
    [JsonStringEnumMemberName("no-sync-30-days")] NoSync30Days,
    [JsonStringEnumMemberName("not-frontal")] NotFrontal,
    [JsonStringEnumMemberName("not-looked-back")] NotLookedBack,
    [JsonStringEnumMemberName("not-on-list")] NotOnList,
    [JsonStringEnumMemberName("passive-below-threshold")] PassiveBelowThreshold,
    [JsonStringEnumMemberName("person-deadline")] PersonDeadline,
    [JsonStringEnumMemberName("record-changed")] RecordChanged,
    [JsonStringEnumMemberName("record-unopenable")] RecordUnopenable,
    [JsonStringEnumMemberName("second-below-threshold")] SecondBelowThreshold,
    [JsonStringEnumMemberName("several-faces")] SeveralFaces,
    [JsonStringEnumMemberName("staff-confirmed")] StaffConfirmed,
    [JsonStringEnumMemberName("staff-not-confirmed")] StaffNotConfirmed,
    [JsonStringEnumMemberName("state-untrusted")] StateUntrusted,
    [JsonStringEnumMemberName("storage-failed")] StorageFailed,
    [JsonStringEnumMemberName("too-few-scored-frames")] TooFewScoredFrames,
    [JsonStringEnumMemberName("too-slow")] TooSlow,
    [JsonStringEnumMemberName("turn-not-made")] TurnNotMade,
    [JsonStringEnumMemberName("verified")] Verified,
    [JsonStringEnumMemberName("verified-by-light")] VerifiedByLight,
    [JsonStringEnumMemberName("window-ended")] WindowEnded,
    [JsonStringEnumMemberName("wrong-way")] WrongWay,
}

/// <summary>
/// The result of an attempt. Contains no score, picture or identifier. `admission` comes
/// with `Match`, `alreadyAdmittedAtMs` with `already-let-in`.
/// </summary>
public sealed record VerificationResult : IJsonOnDeserialized
{
    [JsonPropertyName("outcome")]
    public required VerificationOutcome Outcome { get; init; }

    [JsonPropertyName("reason")]
    public required VerificationReason Reason { get; init; }

    [JsonPropertyName("admission"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public MatchAdmission? Admission { get; init; }

    [JsonPropertyName("alreadyAdmittedAtMs"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public long? AlreadyAdmittedAtMs { get; init; }

    [JsonPropertyName("protections")]
    public required Protections Protections { get; init; }

    [JsonPropertyName("timings")]
    public required VerificationTimings Timings { get; init; }

    [JsonPropertyName("counts")]
    public required VerificationCounts Counts { get; init; }

    /// <summary>Whether its members belong together, as in one of the forms that the contract has.</summary>
    [JsonIgnore]
    public bool IsOneForm =>
        (Outcome is VerificationOutcome.Match && Reason is VerificationReason.Verified or VerificationReason.VerifiedByLight or VerificationReason.StaffConfirmed && Admission is not null) ||
        (Outcome is VerificationOutcome.NotEnrolled && Reason is VerificationReason.NotOnList or VerificationReason.IdInvalid or VerificationReason.RecordUnopenable or VerificationReason.EngineMismatch or VerificationReason.RecordChanged) ||
        (Outcome is VerificationOutcome.LeaseExpired && Reason is VerificationReason.NeverSynced or VerificationReason.LeaseExpired or VerificationReason.ClockBehind or VerificationReason.DeviceRevoked or VerificationReason.ListDeleted or VerificationReason.AccountSuspended or VerificationReason.NoSync30Days or VerificationReason.StateUntrusted or VerificationReason.StorageFailed or VerificationReason.TooSlow) ||
        (Outcome is VerificationOutcome.Expired && Reason is VerificationReason.ListDeadline or VerificationReason.PersonDeadline) ||
        (Outcome is VerificationOutcome.LivenessFailed && Reason is VerificationReason.AttackFrame or VerificationReason.PassiveBelowThreshold or VerificationReason.NeverScorable or VerificationReason.TooFewScoredFrames or VerificationReason.LightNotAnswered or VerificationReason.LightNotHeld) ||
        (Outcome is VerificationOutcome.ChallengeFailed && Reason is VerificationReason.WrongWay or VerificationReason.FaceLost or VerificationReason.FaceSwapped or VerificationReason.TurnNotMade or VerificationReason.NoParallax or VerificationReason.Narrowed or VerificationReason.NotLookedBack or VerificationReason.NoAlternative or VerificationReason.StaffNotConfirmed or VerificationReason.TooFewScoredFrames or VerificationReason.SeveralFaces or VerificationReason.CameraDenied or VerificationReason.CameraFailed or VerificationReason.EngineFailed or VerificationReason.Cancelled) ||
        (Outcome is VerificationOutcome.NoMatch && Reason is VerificationReason.BelowThreshold or VerificationReason.SecondBelowThreshold or VerificationReason.NotFrontal or VerificationReason.SeveralFaces or VerificationReason.WindowEnded or VerificationReason.StorageFailed) ||
        (Outcome is VerificationOutcome.NoFace && Reason is VerificationReason.NoFace or VerificationReason.NoFrames or VerificationReason.CameraDenied or VerificationReason.CameraFailed or VerificationReason.EngineFailed or VerificationReason.Cancelled or VerificationReason.AttemptInProgress or VerificationReason.Disposed) ||
        (Outcome is VerificationOutcome.NoMatch && Reason is VerificationReason.AlreadyLetIn && AlreadyAdmittedAtMs is not null);

    void IJsonOnDeserialized.OnDeserialized()
    {
        if (!IsOneForm) throw new JsonException("its members do not belong together");
    }
}

/// <summary>Durations; null for stages that were not reached.</summary>
public sealed record VerificationTimings
{
    /// <summary>From call to result.</summary>
    [JsonPropertyName("totalMs")]
    public required long TotalMs { get; init; }

    /// <summary>From the camera request to the first frame.</summary>
    [JsonPropertyName("cameraStartMs")]
    public required long? CameraStartMs { get; init; }

    /// <summary>From first frame to verdict: at most the window of ten seconds.</summary>
    [JsonPropertyName("attemptMs")]
    public required long? AttemptMs { get; init; }

    [JsonPropertyName("frontalMs")]
    public required long? FrontalMs { get; init; }

    [JsonPropertyName("lightMs")]
    public required long? LightMs { get; init; }

    [JsonPropertyName("turnMs")]
    public required long? TurnMs { get; init; }

    [JsonPropertyName("returnMs")]
    public required long? ReturnMs { get; init; }
}

/// <summary>Answer to `verify`.</summary>
public sealed record VerifyAnswer
{
    [JsonPropertyName("result")]
    public required VerificationResult Result { get; init; }
}

/// <summary>Starts an attempt.</summary>
public sealed record VerifyRequest
{
    [JsonPropertyName("attempt")]
    public required string Attempt { get; init; }

    [JsonPropertyName("scannedId")]
    public required string ScannedId { get; init; }

    [JsonPropertyName("headTurn")]
    public required HeadTurn HeadTurn { get; init; }
}
