package org.svc.device.internal

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

internal fun jsonArrayOf(values: Iterable<Any>): JSONArray = JSONArray().apply { values.forEach { put(it) } }

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

/** Members of a message's body. Each throws [FailureCode.MessageInvalid] for a missing member or another type. */
internal fun JSONObject.member(name: String): Any =
    opt(name).takeUnless { it == null || it == JSONObject.NULL } ?: throw messageInvalid("$name is missing")

internal fun JSONObject.text(name: String, longest: Int): String =
    (member(name) as? String)?.takeIf { it.length <= longest } ?: throw messageInvalid("$name is no such text")

internal fun JSONObject.flag(name: String): Boolean =
    member(name) as? Boolean ?: throw messageInvalid("$name is no boolean")

internal fun JSONObject.inner(name: String): JSONObject =
    member(name) as? JSONObject ?: throw messageInvalid("$name is no object")

internal fun JSONObject.integer(name: String, range: LongRange = 1..LARGEST_INTEGER): Long =
    integerIn(member(name), range) ?: throw messageInvalid("$name is no such integer")

/** Also a number that was written with a fraction of zero, as JSON does not tell them apart. */
internal fun integerIn(value: Any?, range: LongRange): Long? {
    val number = when (value) {
        is Int, is Long -> (value as Number).toLong()
        is Double -> value.toLong().takeIf { it.toDouble() == value }
        else -> null
    }
    return number?.takeIf { it in range }
}

internal fun JSONObject.bytes(name: String, most: Int): ByteArray =
    (member(name) as? String)?.let(::fromBase64Url)?.takeIf { it.size <= most }
        ?: throw messageInvalid("$name is no such base64url")

/** Null if the member is JSON's null; a missing one throws. */
internal fun <T> JSONObject.orNull(name: String, read: (String) -> T): T? =
    if (has(name) && isNull(name)) null else read(name)

/** Null if the member is missing; JSON's null throws. */
internal fun <T> JSONObject.ifThere(name: String, read: (String) -> T): T? = if (has(name)) read(name) else null
