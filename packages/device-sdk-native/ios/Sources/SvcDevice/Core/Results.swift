import Foundation

extension VerificationResult {
  /// Whether the outcome has one of its own reasons, and what belongs to it. Another result is no result.
  var isConsistent: Bool {
    guard Self.reasons[outcome]?.contains(reason) == true else { return false }
    return (outcome == .match) == (admission != nil) && (reason == .alreadyLetIn) == (alreadyAdmittedAtMs != nil)
  }

  /// The result of an attempt whose page did not give one.
  static func noFace(_ reason: VerificationReason, protections: Protections?, totalMs: Int) -> VerificationResult {
    VerificationResult(
      outcome: .noFace,
      reason: reason,
      protections: protections
        ?? Protections(passive: .absentStaffInView, passiveCalibration: nil, active: .headTurn, light: .off),
      timings: VerificationTimings(
        totalMs: totalMs, cameraStartMs: nil, attemptMs: nil, frontalMs: nil, lightMs: nil, turnMs: nil, returnMs: nil),
      counts: VerificationCounts(
        framesAnalysed: 0, framesDropped: 0, framesUnscorable: 0, embeddings: 0, detections: 0))
  }

  private static let reasons: [VerificationOutcome: Set<VerificationReason>] = [
    .match: [.verified, .verifiedByLight, .staffConfirmed],
    .notEnrolled: [.notOnList, .idInvalid, .recordUnopenable, .engineMismatch, .recordChanged],
    .leaseExpired: [
      .neverSynced, .leaseExpired, .clockBehind, .deviceRevoked, .listDeleted, .accountSuspended, .noSync30Days,
      .stateUntrusted, .storageFailed, .tooSlow,
    ],
    .expired: [.listDeadline, .personDeadline],
    .livenessFailed: [
      .attackFrame, .passiveBelowThreshold, .neverScorable, .tooFewScoredFrames, .lightNotAnswered, .lightNotHeld,
    ],
    .challengeFailed: [
      .wrongWay, .faceLost, .faceSwapped, .turnNotMade, .noParallax, .narrowed, .notLookedBack, .noAlternative,
      .staffNotConfirmed, .tooFewScoredFrames, .severalFaces, .cameraDenied, .cameraFailed, .engineFailed, .cancelled,
    ],
    .noMatch: [
      .belowThreshold, .secondBelowThreshold, .notFrontal, .severalFaces, .windowEnded, .alreadyLetIn, .storageFailed,
    ],
    .noFace: [
      .noFace, .noFrames, .cameraDenied, .cameraFailed, .engineFailed, .cancelled, .attemptInProgress, .disposed,
    ],
  ]
}

extension SyncResult {
  /// Whether success and failure have what belongs to them.
  var isConsistent: Bool {
    let wipes: Set<SyncReason> = [.deviceRevoked, .listDeleted, .accountSuspended, .retentionDeadline]
    if !ok { return reason.map { !wipes.contains($0) } == true }
    switch outcome {
    case .updated, .unchanged: return listVersion != nil && people != nil
    case .wiped: return reason.map(wipes.contains) == true
    case nil: return false
    }
  }
}
