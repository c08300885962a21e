package org.svc.device.internal

import org.json.JSONException
import org.json.JSONObject
import org.svc.device.contract.VerificationOutcome
import org.svc.device.contract.VerificationReason
import org.svc.device.contract.VerificationResult

private val MATCH_REASONS =
    setOf(VerificationReason.Verified, VerificationReason.VerifiedByLight, VerificationReason.StaffConfirmed)

/** Reads a body into its type. @throws org.svc.device.SvcException `message-invalid` for another form */
internal fun <T> formOf(read: () -> T): T =
    try {
        read()
    } catch (_: JSONException) {
        throw messageInvalid("a member is missing")
    } catch (_: ClassCastException) {
        throw messageInvalid("a member has another type")
    } catch (_: NoSuchElementException) {
        throw messageInvalid("a member is another word")
    }

/** A Match has a Match's reason, and no other outcome has one. */
internal fun verificationResultOf(json: JSONObject): VerificationResult {
    val result = formOf { VerificationResult.fromJson(json) }
    val isMatch = result.outcome == VerificationOutcome.Match
    if (isMatch != (result.reason in MATCH_REASONS)) throw messageInvalid("another outcome's reason")
    if (isMatch && result.admission == null) throw messageInvalid("a match without its admission")
    return result
}
