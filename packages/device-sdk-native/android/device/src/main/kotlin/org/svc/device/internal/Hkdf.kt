package org.svc.device.internal

import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

internal const val HASH_BYTES = 32
private const val HMAC = "HmacSHA256"

internal fun ByteArray.wipe() = fill(0)

/** Runs [use] and wipes the bytes, however it ends. The copies that the platform's own classes make cannot be wiped. */
internal inline fun <T> ByteArray.wiped(use: (ByteArray) -> T): T =
    try {
        use(this)
    } finally {
        wipe()
    }

/** HMAC-SHA-256 (RFC 2104) of the parts one after another. */
internal fun hmacSha256(key: ByteArray, vararg parts: ByteArray): ByteArray {
    val mac = Mac.getInstance(HMAC)
    // SecretKeySpec refuses an empty key; HMAC pads keys with zeros, so a block of zeros is the same key.
    mac.init(SecretKeySpec(if (key.isEmpty()) ByteArray(HASH_BYTES) else key, HMAC))
    for (part in parts) mac.update(part)
    return mac.doFinal()
}

internal object Hkdf {
    /** HKDF-Extract (RFC 5869, section 2.2). */
    fun extract(salt: ByteArray, vararg keyMaterial: ByteArray): ByteArray = hmacSha256(salt, *keyMaterial)

    /** HKDF-Expand (RFC 5869, section 2.3). [length]: at most 255 blocks. */
    fun expand(prk: ByteArray, info: ByteArray, length: Int): ByteArray {
        require(length in 0..255 * HASH_BYTES) { "HKDF gives at most 255 blocks" }
        val output = ByteArray(length)
        var block = ByteArray(0)
        var at = 0
        var counter = 1
        while (at < length) {
            val previous = block
            block = hmacSha256(prk, previous, info, byteArrayOf(counter++.toByte()))
            previous.wipe()
            val taken = minOf(block.size, length - at)
            block.copyInto(output, at, 0, taken)
            at += taken
        }
        block.wipe()
        return output
    }

    fun derive(key: ByteArray, salt: ByteArray, info: ByteArray, length: Int): ByteArray =
        extract(salt, key).wiped { expand(it, info, length) }
}
