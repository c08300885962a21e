package org.svc.device

import org.svc.device.contract.FailureCode

/**
 * Why a call failed. The message is English, for developers; it has no secret, no id of a person, no score and no
 * picture.
 */
public class SvcException internal constructor(public val code: FailureCode, message: String) : Exception(message)
