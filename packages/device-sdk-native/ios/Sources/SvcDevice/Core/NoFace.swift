import Foundation

extension VerificationResult {
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
}
