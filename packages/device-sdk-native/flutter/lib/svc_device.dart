/// Offline face check-in at a door: sync, live verification of a scanned ID, and the camera view.
library;

export 'src/camera_view.dart';
export 'src/configuration.dart';
export 'src/contract.g.dart'
    show
        CameraFacing,
        CheckInQueue,
        Connection,
        CoreBuild,
        DeviceNames,
        DeviceStatus,
        EraseReason,
        HeadTurn,
        HeadTurnAlternative,
        LightChallenge,
        MatchAdmission,
        NotReady,
        PassiveLiveness,
        Prompt,
        PromptHint,
        PromptKey,
        PromptsBy,
        Protections,
        ReEntryPolicy,
        Region,
        RegionName,
        SyncOutcome,
        SyncReason,
        SyncResult,
        TakeBackOutcome,
        TurnDirection,
        VerificationCounts,
        VerificationOutcome,
        VerificationReason,
        VerificationResult,
        VerificationTimings;
export 'src/device.dart';
