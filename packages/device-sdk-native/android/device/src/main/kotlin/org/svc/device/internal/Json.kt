package org.svc.device.internal

import java.util.concurrent.ConcurrentHashMap
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject
import org.json.JSONTokener
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode

internal const val LARGEST_INTEGER = 9_007_199_254_740_991L

/** Objects and lists in each other. */
private const val DEEPEST = 16

internal fun messageInvalid(message: String) = SvcException(FailureCode.MessageInvalid, message)

/** A handle, upload or transfer of another session, or one that ended. */
internal fun noSuch(what: String) = messageInvalid("no such $what")

/** Numbers for what the page holds; never used twice. */
internal class Handles {
    private var last = 0L

    fun next(): Long = ++last
}

/** @return null unless the text is one JSON object. org.json reads recursively, so deep nesting is refused first. */
internal fun parseObject(text: String): JSONObject? {
    if (isTooDeep(text)) return null
    return try {
        val tokens = JSONTokener(text)
        val value = tokens.nextValue()
        if (tokens.nextClean() == '\u0000') value as? JSONObject else null
    } catch (_: JSONException) {
        null
    }
}

private fun isTooDeep(text: String): Boolean {
    var depth = 0
    var quoted = false
    var at = 0
    while (at < text.length) {
        when (text[at]) {
            '\\' -> if (quoted) at++
            '"' -> quoted = !quoted
            '{', '[' -> if (!quoted && ++depth > DEEPEST) return true
            '}', ']' -> if (!quoted) depth--
        }
        at++
    }
    return false
}

/** A JSON object from pairs; null stays null. */
internal fun jsonOf(vararg members: Pair<String, Any?>): JSONObject =
    JSONObject().apply { for ((name, value) in members) put(name, value ?: JSONObject.NULL) }

/** Bytes of the text in UTF-8. */
internal fun utf8Length(text: String): Int {
    var length = 0
    for (character in text) {
        length += when {
            character.code < 0x80 -> 1
            character.code < 0x800 -> 2
            // Each half of a pair is two of the pair's four bytes.
            character.isSurrogate() -> 2
            else -> 3
        }
    }
    return length
}

/** An integer in the range; null for all else. JSON does not tell 1 from 1.0. */
internal fun integerIn(value: Any?, range: LongRange): Long? {
    val number = when (value) {
        is Int, is Long -> (value as Number).toLong()
        is Double -> value.toLong().takeIf { it.toDouble() == value }
        else -> null
    }
    return number?.takeIf { it in range }
}

private val patterns = ConcurrentHashMap<String, Regex>()

// What the contract's types read of a JSON value, each within its limits: another value is an IllegalArgumentException.

internal fun integerOf(value: Any?, least: Long, most: Long): Long = requireNotNull(integerIn(value, least..most))

internal fun numberOf(value: Any?, least: Double, most: Double): Double =
    (value as Number).toDouble().also { require(it in least..most) }

/** [least] and [most]: code points. */
internal fun textOf(value: Any?, least: Int, most: Int, pattern: String? = null): String = (value as String).also {
    require(it.codePointCount(0, it.length) in least..most)
    require(pattern == null || patterns.getOrPut(pattern) { Regex(pattern) }.matches(it))
}

/** Not by a regular expression: Android's keep a stack for each repeated group, which long texts overflow. */
internal fun bytesOf(value: Any?, most: Int): ByteArray =
    requireNotNull(fromBase64Url(value as String)).also { require(it.size <= most) }

internal fun <T> itemsOf(value: Any?, least: Int, most: Int, read: (Any) -> T): List<T> = (value as JSONArray).let {
    require(it.length() in least..most)
    List(it.length()) { i -> read(it.get(i)) }
}

internal fun <T> membersOf(value: Any?, most: Int, names: String, read: (Any) -> T): Map<String, T> =
    (value as JSONObject).let {
        require(it.length() <= most)
        it.keys().asSequence().associate { name -> textOf(name, 0, Int.MAX_VALUE, names) to read(it.get(name)) }
    }

internal fun <T> orNull(value: Any, read: (Any) -> T): T? = if (value == JSONObject.NULL) null else read(value)

/** Reads a body into its type. @throws SvcException `message-invalid` for another form */
internal fun <T> formOf(read: () -> T): T =
    try {
        read()
    } catch (_: JSONException) {
        throw messageInvalid("a member is missing")
    } catch (_: ClassCastException) {
        throw messageInvalid("a member has another type")
    } catch (_: NoSuchElementException) {
        throw messageInvalid("a member is another word")
    } catch (_: IllegalArgumentException) {
        throw messageInvalid("members do not belong together")
    }

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
