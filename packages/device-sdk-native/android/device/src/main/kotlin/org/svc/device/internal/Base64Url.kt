package org.svc.device.internal

private const val ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
private val VALUES = IntArray(128) { ALPHABET.indexOf(it.toChar()) }

/** base64url without padding (RFC 4648, section 5). java.util.Base64 exists from API 26 only. */
internal fun toBase64Url(bytes: ByteArray): String {
    val text = StringBuilder((bytes.size * 4 + 2) / 3)
    var at = 0
    while (at < bytes.size) {
        val taken = minOf(3, bytes.size - at)
        var group = 0
        for (i in 0 until 3) group = group shl 8 or if (i < taken) bytes[at + i].toInt() and 0xff else 0
        for (i in 0..taken) text.append(ALPHABET[group ushr (18 - 6 * i) and 63])
        at += 3
    }
    return text.toString()
}

/** @return null for another alphabet, padding, an impossible length, or unused bits that are not zero */
internal fun fromBase64Url(text: String): ByteArray? {
    if (text.length % 4 == 1) return null
    val bytes = ByteArray(text.length * 3 / 4)
    var group = 0
    var bits = 0
    var at = 0
    for (character in text) {
        val value = if (character.code < 128) VALUES[character.code] else -1
        if (value < 0) return null
        group = group shl 6 or value
        bits += 6
        if (bits >= 8) {
            bits -= 8
            bytes[at++] = (group ushr bits).toByte()
            group = group and ((1 shl bits) - 1)
        }
    }
    return if (group == 0) bytes else null
}
