package org.svc.device.internal

import java.io.IOException
import java.security.GeneralSecurityException
import java.security.ProviderException
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.Failure
import org.svc.device.contract.FailureCode

/** This shell's side of a dialogue with the page. */
internal interface PageListener {
    /** A new session begins: whatever the page held in the former one is released before its first request. */
    fun onHello(body: JSONObject)

    fun onEvent(name: String, body: JSONObject)

    /** Where requests of this name run, in the order of their arrival if it has one thread. */
    fun contextOf(name: String): CoroutineContext

    /** @throws SvcException whose code becomes the failure */
    suspend fun onRequest(name: String, body: JSONObject): JSONObject
}

/**
 * Sessions, ids and failures of the contract. A message of another session, a second answer and an answer that nobody
 * waits for are dropped. All functions may be called from any thread.
 */
internal class Dialogue(
    private val scope: CoroutineScope,
    private val post: (String) -> Unit,
    private val listener: PageListener,
) {
    private class Pending(val name: String) {
        val answer = CompletableDeferred<JSONObject>()
    }

    private val lock = Any()
    private var session: String? = null
    private var lastOwnId = 0L
    private var lastPageId = 0L
    private val pending = HashMap<Long, Pending>()

    fun receive(text: String) {
        val (current, reading) = synchronized(lock) {
            val reading = readMessage(text, session, lastPageId)
            when {
                reading is Reading.Refused && reading.code != FailureCode.VersionUnsupported ->
                    lastPageId = maxOf(lastPageId, reading.id)
                reading is Reading.Accepted && reading.message.kind == Message.Kind.Request ->
                    lastPageId = reading.message.id ?: lastPageId
            }
            session to reading
        }
        when (reading) {
            is Reading.Accepted -> accept(reading.message)
            is Reading.Refused -> if (current != null) {
                fail(current, reading.id, reading.name, SvcException(reading.code, "the request was refused"))
            }
            is Reading.InvalidAnswer ->
                take(reading.id, reading.name)?.completeExceptionally(messageInvalid("an answer of another form"))
            Reading.Dropped -> Unit
        }
    }

    /** Sends a request and waits for its answer. @throws SvcException with the failure's code, or why none came */
    suspend fun request(name: String, body: JSONObject, limitMs: Long): JSONObject {
        val waiting = Pending(name)
        val id = synchronized(lock) {
            val current = session ?: throw SvcException(FailureCode.RendererGone, "there is no page")
            val id = lastOwnId + 1
            val text = Message(current, Message.Kind.Request, id, name, body).write()
            if (utf8Length(text) > MAX_MESSAGE_BYTES) throw SvcException(FailureCode.TooLarge, "over 1 MiB")
            lastOwnId = id
            pending[id] = waiting
            post(text)
            id
        }
        try {
            return withTimeoutOrNull(limitMs) { waiting.answer.await() }
                ?: throw SvcException(FailureCode.Timeout, "the page did not answer")
        } finally {
            synchronized(lock) { pending.remove(id) }
        }
    }

    /** The page is gone: every request that waits fails with [code]. */
    fun end(code: FailureCode) {
        val left = synchronized(lock) {
            session = null
            pending.values.toList().also { pending.clear() }
        }
        for (request in left) request.answer.completeExceptionally(SvcException(code, "the page is gone"))
    }

    private fun accept(message: Message) {
        when (message.kind) {
            Message.Kind.Request -> serve(message, message.id ?: return)
            Message.Kind.Event ->
                if (message.name == HELLO) begin(message) else listener.onEvent(message.name, message.body)
            Message.Kind.Answer -> take(message.id, message.name)?.complete(message.body)
            Message.Kind.Failure -> take(message.id, message.name)?.completeExceptionally(failureOf(message.body))
        }
    }

    private fun begin(hello: Message) {
        if (synchronized(lock) { session == hello.session }) return
        end(FailureCode.RendererGone)
        synchronized(lock) {
            session = hello.session
            lastOwnId = 0
            lastPageId = 0
        }
        listener.onHello(hello.body)
    }

    private fun take(id: Long?, name: String): CompletableDeferred<JSONObject>? = synchronized(lock) {
        if (pending[id]?.name == name) pending.remove(id)?.answer else null
    }

    private fun serve(message: Message, id: Long) {
        scope.launch(listener.contextOf(message.name)) {
            try {
                val body = listener.onRequest(message.name, message.body)
                send(Message(message.session, Message.Kind.Answer, id, message.name, body))
            } catch (error: CancellationException) {
                throw error
            } catch (error: Exception) {
                fail(message.session, id, message.name, error)
            }
        }
    }

    private fun fail(session: String, id: Long, name: String, error: Exception) {
        val failure = error as? SvcException ?: SvcException(codeOf(error), "the shell could not do it")
        val body = jsonOf("code" to failure.code.value, "message" to failure.message)
        send(Message(session, Message.Kind.Failure, id, name, body))
    }

    /** Files and keys fail in many ways; other errors are this shell's own. */
    private fun codeOf(error: Exception): FailureCode = when (error) {
        is IOException, is GeneralSecurityException, is ProviderException, is SecurityException ->
            FailureCode.StorageFailed
        else -> FailureCode.RuntimeFailed
    }

    private fun send(message: Message) {
        val text = message.write()
        synchronized(lock) { if (session == message.session) post(text) }
    }
}

internal fun failureOf(body: JSONObject): SvcException =
    Failure.fromJson(body).let { SvcException(it.code, it.message) }
