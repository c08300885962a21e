package org.svc.device.internal

import org.json.JSONObject
import org.svc.device.contract.*

internal const val CONTRACT_VERSION = 1L
internal const val CONTRACT_MINOR = 0L
internal const val MAX_MESSAGE_BYTES = 1 shl 20
internal const val HELLO = "hello"
private const val SESSION_BYTES = 16
private const val LONGEST_NAME = 64
private val NAME = Regex("[a-z][A-Za-z]*(?:\\.[a-z][A-Za-z]*)?")

/** A message of the contract between this shell and its page. */
internal class Message(val session: String, val kind: Kind, val id: Long?, val name: String, val body: JSONObject) {
    enum class Kind(val value: String) {
        Request("request"),
        Answer("answer"),
        Failure("failure"),
        Event("event"),
    }

    fun write(): String {
        val text = jsonOf("v" to CONTRACT_VERSION, "session" to session, "kind" to kind.value)
        if (id != null) text.put("id", id)
        return text.put("name", name).put("body", body).toString()
    }
}

/** What is to be done with a text from the page. */
internal sealed class Reading {
    /** The body is one of its kind and name. */
    class Accepted(val message: Message) : Reading()

    /** A request that cannot be carried out: a failure with its id is due. */
    class Refused(val id: Long, val name: String, val code: FailureCode) : Reading()

    /** An answer or failure of another form: the request that waits for it fails. */
    class InvalidAnswer(val id: Long, val name: String) : Reading()

    object Dropped : Reading()
}

/**
 * Reads a text of the page.
 * @param session null before the first `hello`
 * @param highestId of the page's requests in this session; 0 before the first
 */
internal fun readMessage(text: String, session: String?, highestId: Long): Reading {
    val envelope = if (utf8Length(text) > MAX_MESSAGE_BYTES) null else parseObject(text)
    val kind = Message.Kind.values().find { it.value == envelope?.opt("kind") }
    val name = (envelope?.opt("name") as? String)?.takeIf { it.length <= LONGEST_NAME && NAME.matches(it) }
    val sender = (envelope?.opt("session") as? String)?.takeIf { fromBase64Url(it)?.size == SESSION_BYTES }
    if (envelope == null || kind == null || name == null || sender == null) return Reading.Dropped
    if (sender != session && !(kind == Message.Kind.Event && name == HELLO)) return Reading.Dropped

    val isKnown = integerIn(envelope.opt("v"), CONTRACT_VERSION..CONTRACT_VERSION) != null
    val id = integerIn(envelope.opt("id"), 1..LARGEST_INTEGER)
    val body = envelope.opt("body")
    if (kind == Message.Kind.Event) {
        if (!isKnown || !isBody(PAGE_EVENTS[name], body)) return Reading.Dropped
        if (name == HELLO && (body as JSONObject).opt("session") != sender) return Reading.Dropped
        return Reading.Accepted(Message(sender, kind, null, name, body as JSONObject))
    }
    if (id == null) return Reading.Dropped
    if (kind == Message.Kind.Request) {
        val code = when {
            !isKnown -> FailureCode.VersionUnsupported
            id <= highestId -> FailureCode.MessageInvalid
            name !in PAGE_REQUESTS -> FailureCode.UnknownName
            !isBody(PAGE_REQUESTS[name], body) -> FailureCode.MessageInvalid
            else -> null
        }
        if (code != null) return Reading.Refused(id, name, code)
    } else {
        if (!isKnown || (kind == Message.Kind.Answer && name !in PAGE_ANSWERS)) return Reading.Dropped
        val read = if (kind == Message.Kind.Answer) PAGE_ANSWERS[name] else Failure::fromJson
        if (!isBody(read, body)) return Reading.InvalidAnswer(id, name)
    }
    return Reading.Accepted(Message(sender, kind, id, name, body as JSONObject))
}

/** Whether the body is of the form that [read] reads. */
private fun isBody(read: ((JSONObject) -> Any)?, body: Any?): Boolean =
    read != null && body is JSONObject && runCatching { read(body) }.isSuccess
