package org.svc.device.internal

import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.json.JSONObject
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.svc.device.SvcException
import org.svc.device.contract.*

/** The body of a page's answer with the least members. */
private fun leastAnswer(name: String): JSONObject = vectors("messages.json").getJSONArray("vectors").let { all ->
    val named = (0 until all.length()).map(all::getJSONObject).first { it.getString("name") == "PageAnswer $name: least" }
    named.getJSONObject("message").getJSONObject("body")
}

private val STATUS = leastAnswer("configure").apply { getJSONObject("status").put("people", 12) }.toString()
private val MATCH = leastAnswer("verify").toString()

class ConversationTest {
    private class FakePage : Page {
        val texts = LinkedBlockingQueue<JSONObject>()
        val loads = LinkedBlockingQueue<Int>()
        var session = ""
        private var ids = 0L
        lateinit var conversation: Conversation
        var refusal: SvcException? = null

        override fun load() {
            loads.put(1)
            refusal?.let { throw it }
        }

        override fun post(text: String) = texts.put(JSONObject(text))

        override fun drop() = Unit

        fun send(kind: String, id: Long?, name: String, body: String, session: String = this.session) {
            val number = if (id == null) "" else "\"id\":$id,"
            conversation.receive(
                """{"v":1,"session":"$session","kind":"$kind",$number"name":"$name","body":$body}""",
            )
        }

        fun hello(letter: Char) {
            session = letter.toString().repeat(21) + "A"
            ids = 0
            send("event", null, "hello", """{"minor":0,"sdkVersion":"0","session":"$session"}""")
        }

        /** The next text of this name; others are skipped. */
        fun next(name: String): JSONObject {
            while (true) {
                val text = texts.poll(30, TimeUnit.SECONDS) ?: error("no $name")
                if (text.getString("name") == name) return text
            }
        }

        fun answer(request: JSONObject, body: String, kind: String = "answer") =
            send(kind, request.getLong("id"), request.getString("name"), body)

        fun start(letter: Char) {
            hello(letter)
            answer(next("configure"), STATUS)
            answer(next("start"), "{}")
        }

        fun request(name: String, body: String): JSONObject {
            send("request", ++ids, name, body)
            return next(name)
        }
    }

    private val test = TestStore()
    private val storeThread = Executors.newSingleThreadExecutor()
    private val scope = CoroutineScope(Dispatchers.Default)
    private val page = FakePage()
    private val conversation = conversationWith(Limits(reload = 1))

    private fun conversationWith(limits: Limits) = Conversation(
        scope,
        page,
        Threads(storeThread.asCoroutineDispatcher(), Dispatchers.IO, Dispatchers.Default),
        test.store,
        Transfers(),
        test.requests,
        jsonOf("minor" to 0),
        Protections(PassiveCheck.AbsentStaffInView, null, ActiveCheck.HeadTurn, LightProtection.Off),
        { 5 },
        limits,
    ).also { page.conversation = it }

    @After
    fun stop() {
        scope.cancel()
        storeThread.shutdownNow()
    }

    private fun inTime(work: suspend CoroutineScope.() -> Unit) = runBlocking { withTimeout(30_000, work) }

    private fun codeOf(failure: JSONObject) = failure.getJSONObject("body").getString("code")

    private fun stateIn(request: JSONObject) = request.getJSONObject("body").getString("state")

    private fun verify() = scope.async { conversation.verify("id", HeadTurn.Asked) }

    private fun started() = inTime {
        conversation.load()
        page.start('B')
        conversation.awaitReady()
    }

    @Test
    fun `a visit with a match, its prompts and its end`() = inTime {
        started()
        assertEquals(12L, conversation.status.value?.people)
        val result = verify()
        val request = page.next("verify")
        val attempt = request.getJSONObject("body").getString("attempt")
        page.send("event", null, "prompt", """{"attempt":"${"C".repeat(21)}A","prompt":null}""")
        val prompt = """{"key":"look-back","progress":0.5,"remainingMs":9}"""
        page.send("event", null, "prompt", """{"attempt":"$attempt","prompt":$prompt}""")
        assertEquals(9L, conversation.prompt.first { it != null }?.remainingMs)
        page.answer(request, MATCH)
        assertEquals(VerificationOutcome.Match, result.await().outcome)
        assertNull(conversation.prompt.value)
    }

    @Test
    fun `a page that dies in an attempt lets nobody in, is loaded anew and configured`() = inTime {
        started()
        page.loads.clear()
        val result = verify()
        page.next("verify")
        conversation.pageGone()
        conversation.pageGone()
        assertNull(conversation.status.value)
        result.await().run {
            assertEquals(VerificationOutcome.NoFace, outcome)
            assertEquals(VerificationReason.EngineFailed, reason)
            assertEquals(PassiveCheck.Minifasnet, protections.passive)
        }
        assertNotNull(page.loads.poll(30, TimeUnit.SECONDS))
        assertNull(page.loads.poll(50, TimeUnit.MILLISECONDS))
        page.start('D')
        conversation.awaitReady()
        val second = verify()
        page.answer(page.next("verify"), """{"code":"cancelled","message":""}""", kind = "failure")
        assertEquals(VerificationReason.Cancelled, second.await().reason)
    }

    @Test
    fun `one attempt at a time, and a cancelled caller cancels it`() = inTime {
        started()
        val first = verify()
        page.next("verify")
        assertEquals(VerificationReason.AttemptInProgress, conversation.verify("id", HeadTurn.Asked).reason)
        conversation.confirmByStaff()
        page.answer(page.next("confirmByStaff"), "{}")
        first.cancelAndJoin()
        page.next("cancel")
        conversation.cancel()
        val second = verify()
        page.next("verify")
        conversation.cancel()
        page.next("cancel")
        second.cancelAndJoin()
    }

    @Test
    fun `a configuration that is refused is told, and nothing else is asked`() = inTime {
        conversation.load()
        page.hello('B')
        val refusal = """{"code":"passive-liveness-missing","message":"no model"}"""
        page.answer(page.next("configure"), refusal, kind = "failure")
        val error = runCatching { conversation.awaitReady() }.exceptionOrNull() as SvcException
        assertEquals(FailureCode.PassiveLivenessMissing, error.code)
        assertTrue(page.texts.none { it.getString("name") == "start" })
    }

    @Test
    fun `the page's requests are answered in their order, and its handles end with its session`() = inTime {
        started()
        val upload = page.request("packStore.beginPack", """{"generation":1}""").getJSONObject("body").getLong("upload")
        val chunk = """{"upload":$upload,"offset":0,"chunk":"AQ"}"""
        assertEquals("answer", page.request("packStore.appendPack", chunk).getString("kind"))
        assertEquals("message-invalid", codeOf(page.request("packStore.appendPack", chunk)))
        page.start('E')
        conversation.awaitReady()
        assertEquals("message-invalid", codeOf(page.request("packStore.commitPack", """{"upload":$upload}""")))
    }

    @Test
    fun `what is due is deleted before the page hears of the foreground`() = inTime {
        started()
        test.keep(1)
        test.guard.set(1)
        conversation.lifecycle(LifecycleState.Foreground)
        page.next("lifecycle")
        assertEquals(emptyList<Long>(), test.keys.generations())
    }

    @Test
    fun `the app's states come in their order, also while a deletion takes its time`() = inTime {
        started()
        val busy = CountDownLatch(1)
        storeThread.execute { busy.await() }
        conversation.lifecycle(LifecycleState.Foreground)
        conversation.lifecycle(LifecycleState.Background)
        assertNull(page.texts.poll(50, TimeUnit.MILLISECONDS))
        busy.countDown()
        assertEquals("foreground", stateIn(page.next("lifecycle")))
        assertEquals("background", stateIn(page.next("lifecycle")))
    }

    @Test
    fun `a page that is loaded in the background is told so before all else`() = inTime {
        started()
        conversation.lifecycle(LifecycleState.Background)
        page.next("lifecycle")
        conversation.pageGone()
        page.hello('C')
        val first = page.texts.poll(30, TimeUnit.SECONDS)
        assertEquals("lifecycle", first?.getString("name"))
        assertEquals("background", first?.let(::stateIn))
        page.answer(page.next("configure"), STATUS)
        page.answer(page.next("start"), "{}")
        conversation.lifecycle(LifecycleState.Foreground)
        assertEquals("foreground", stateIn(page.next("lifecycle")))
        page.start('D')
        conversation.awaitReady()
        assertTrue(page.texts.none { it.getString("name") == "lifecycle" })
    }

    @Test
    fun `an attempt that waits for the page can be cancelled, and is never begun`() = inTime {
        conversation.load()
        val result = scope.async(start = CoroutineStart.UNDISPATCHED) { conversation.verify("id", HeadTurn.Asked) }
        conversation.cancel()
        assertEquals(VerificationReason.Cancelled, withTimeout(5_000) { result.await() }.reason)
        page.start('B')
        conversation.awaitReady()
        assertTrue(page.texts.none { it.getString("name") == "verify" })
    }

    @Test
    fun `an attempt does not end the load of a slow page`() = inTime {
        val hasty = conversationWith(Limits(ready = 1, reload = 1))
        hasty.load()
        assertNotNull(page.loads.poll(30, TimeUnit.SECONDS))
        assertEquals(VerificationReason.EngineFailed, hasty.verify("id", HeadTurn.Asked).reason)
        assertNull(page.loads.poll(50, TimeUnit.MILLISECONDS))
        page.start('B')
        hasty.awaitReady()
    }

    @Test
    fun `a WebView that the system lacks for a while is tried again, once the device was ready`() = inTime {
        started()
        page.loads.clear()
        page.refusal = SvcException(FailureCode.RuntimeFailed, "no WebView now")
        conversation.pageGone()
        repeat(2) { assertNotNull(page.loads.poll(30, TimeUnit.SECONDS)) }
        page.refusal = null
        page.start('C')
        conversation.awaitReady()
    }

    @Test
    fun `a failure of the platform's key store is one of storage`() = inTime {
        started()
        test.box.refuseToDestroy = "list-keys-1"
        assertEquals("storage-failed", codeOf(page.request("keyStore.deleteListKeys", """{"generation":1}""")))
    }

    @Test
    fun `a disposed device says so`() = inTime {
        started()
        scope.launch { page.answer(page.next("dispose"), "{}") }
        conversation.dispose()
        assertEquals(VerificationReason.Disposed, conversation.verify("id", HeadTurn.Asked).reason)
        assertEquals(FailureCode.Disposed, (runCatching { conversation.sync() }.exceptionOrNull() as SvcException).code)
        assertFalse(page.texts.any { it.getString("name") == "verify" })
    }

    @Test
    fun `a page that cannot be shown is told to the caller`() = inTime {
        page.refusal = SvcException(FailureCode.WebviewTooOld, "WebView 51")
        conversation.load()
        val error = runCatching { conversation.awaitReady() }.exceptionOrNull() as SvcException
        assertEquals(FailureCode.WebviewTooOld, error.code)
        assertEquals(VerificationReason.EngineFailed, conversation.verify("id", HeadTurn.Asked).reason)
    }

    @Test
    fun `a page that is silent in an attempt is loaded anew`() = inTime {
        val hasty = conversationWith(Limits(attempt = 1, reload = 1))
        hasty.load()
        page.start('B')
        hasty.awaitReady()
        page.loads.clear()
        assertEquals(VerificationReason.EngineFailed, hasty.verify("id", HeadTurn.Asked).reason)
        assertNotNull(page.loads.poll(30, TimeUnit.SECONDS))
        page.answer(page.next("verify"), MATCH)
        page.start('C')
        hasty.awaitReady()
    }

    @Test
    fun `a page that never starts is loaded again, and nobody waits for it`() = inTime {
        val hasty = conversationWith(Limits(load = 1, ready = 1, reload = 1))
        hasty.load()
        repeat(3) { assertNotNull(page.loads.poll(30, TimeUnit.SECONDS)) }
        assertEquals(VerificationOutcome.NoFace, hasty.verify("id", HeadTurn.Asked).outcome)
    }

    @Test
    fun `a page with a fault is loaded anew`() = inTime {
        started()
        page.loads.clear()
        page.send("event", null, "fault", """{"code":"runtime-failed","message":"why"}""")
        assertNotNull(page.loads.poll(30, TimeUnit.SECONDS))
        page.start('C')
        conversation.awaitReady()
    }
}
