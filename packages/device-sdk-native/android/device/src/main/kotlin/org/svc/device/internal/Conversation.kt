package org.svc.device.internal

import java.security.SecureRandom
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.DeviceStatus
import org.svc.device.contract.FailureCode
import org.svc.device.contract.HeadTurn
import org.svc.device.contract.LifecycleState
import org.svc.device.contract.Prompt
import org.svc.device.contract.PromptEvent
import org.svc.device.contract.Protections
import org.svc.device.contract.StatusBody
import org.svc.device.contract.SyncAnswer
import org.svc.device.contract.SyncResult
import org.svc.device.contract.TakeBackAnswer
import org.svc.device.contract.TakeBackOutcome
import org.svc.device.contract.VerificationCounts
import org.svc.device.contract.VerificationOutcome
import org.svc.device.contract.VerificationReason
import org.svc.device.contract.VerificationResult
import org.svc.device.contract.VerificationTimings
import org.svc.device.contract.VerifyAnswer

/** The page as the conversation sees it: it is loaded, gets texts, and is dropped. */
internal interface Page {
    /** Loads the page, in place of an earlier one. Its texts go to [Conversation.receive]. */
    fun load()

    /** May be called from any thread. */
    fun post(text: String)

    fun drop()
}

/** Threads of a conversation: [store] has one thread, [network] may block. */
internal class Threads(val store: CoroutineContext, val network: CoroutineContext, val main: CoroutineContext)

/**
 * A device over its page: configures each new session, starts its schedule, and loads a page anew that is gone. Results
 * come from the page's answers alone; a page that is gone or silent gives a result that lets nobody in.
 * @param configuration body of `configure`
 * @param defaultProtections of results that this shell has to give before the page told its own
 * @param nowMs a clock that does not jump, milliseconds
 */
internal class Conversation(
    private val scope: CoroutineScope,
    private val page: Page,
    private val threads: Threads,
    private val store: DeviceStore,
    private val transfers: Transfers,
    private val ports: PageRequests,
    private val configuration: JSONObject,
    private val defaultProtections: Protections,
    private val nowMs: () -> Long,
) : PageListener {
    private val random = SecureRandom()
    private val lock = Any()
    private val dialogue = Dialogue(scope, page::post, this)
    private val mutableStatus = MutableStateFlow<DeviceStatus?>(null)
    private val mutablePrompt = MutableStateFlow<Prompt?>(null)
    private var ready = CompletableDeferred<Unit>()
    private var starting: Job? = null
    private var attempt: String? = null
    private var failures = 0
    private var disposed = false

    val status: StateFlow<DeviceStatus?> get() = mutableStatus
    val prompt: StateFlow<Prompt?> get() = mutablePrompt

    /** Loads the page. A page that says nothing in time is loaded once more with the next call. */
    fun load() {
        val loading = synchronized(lock) {
            if (disposed) return
            if (ready.isCompleted) ready = CompletableDeferred()
            ready
        }
        scope.launch(threads.main) { page.load() }
        starting?.cancel()
        starting = scope.launch {
            delay(LOAD_LIMIT_MS)
            loading.completeExceptionally(SvcException(FailureCode.Timeout, "the page did not start"))
        }
    }

    fun receive(text: String) = dialogue.receive(text)

    /** The page's process ended. It is loaded anew, at growing intervals while it keeps ending. */
    fun pageGone() {
        reset(FailureCode.RendererGone)
        val wait = synchronized(lock) { if (disposed) return else RELOAD_PAUSE_MS shl minOf(failures++, MAX_DOUBLINGS) }
        scope.launch {
            delay(wait)
            load()
        }
    }

    /** Waits for the page to be configured. @throws SvcException with the code of its refusal */
    suspend fun awaitReady() {
        val current = synchronized(lock) {
            if (disposed) throw SvcException(FailureCode.Disposed, "the device was disposed")
            ready
        }
        current.await()
    }

    suspend fun sync(): SyncResult = call("sync", jsonOf(), SYNC_LIMIT_MS).let { SyncAnswer.fromJson(it).result }

    suspend fun takeBackAdmission(scannedId: String): TakeBackOutcome =
        call("takeBackAdmission", jsonOf("scannedId" to scannedId), CALL_LIMIT_MS)
            .let { TakeBackAnswer.fromJson(it).outcome }

    /**
     * The page's result of an attempt; or, of a page that is gone, silent or not configured, `NoFace` with its reason.
     */
    suspend fun verify(scannedId: String, headTurn: HeadTurn): VerificationResult {
        val startedAtMs = nowMs()
        val id = toBase64Url(ByteArray(ATTEMPT_BYTES).also(random::nextBytes))
        val isFirst = synchronized(lock) { (attempt == null).also { if (it) attempt = id } }
        if (!isFirst) return withoutPage(VerificationReason.AttemptInProgress, startedAtMs)
        try {
            val body = jsonOf("attempt" to id, "scannedId" to scannedId, "headTurn" to headTurn.value)
            withTimeoutOrNull(READY_LIMIT_MS) { awaitReady() }
                ?: throw SvcException(FailureCode.Timeout, "the page did not start")
            // The schema has checked that outcome, reason and admission belong together.
            return VerifyAnswer.fromJson(dialogue.request("verify", body, ATTEMPT_LIMIT_MS)).result
        } catch (error: CancellationException) {
            withContext(NonCancellable) { cancelAttempt(id) }
            throw error
        } catch (error: SvcException) {
            if (error.code == FailureCode.Timeout) cancelAttempt(id)
            return withoutPage(reasonOf(error.code), startedAtMs)
        } finally {
            synchronized(lock) { if (attempt == id) attempt = null }
            mutablePrompt.value = null
        }
    }

    /** Ends the running attempt, if any, with `cancelled`. */
    fun cancel() {
        synchronized(lock) { attempt }?.let(::cancelAttempt)
    }

    /** Staff saw that the person before the camera is live. Ignored unless an attempt asks for it. */
    fun confirmByStaff() {
        val running = synchronized(lock) { attempt } ?: return
        tell("confirmByStaff", jsonOf("attempt" to running))
    }

    /** Deletions that are due come before the page hears of it. */
    fun lifecycle(state: LifecycleState) {
        scope.launch {
            runCatching { if (state == LifecycleState.Foreground) withContext(threads.store) { carryOutGuard() } }
            tell("lifecycle", jsonOf("state" to state.value))
        }
    }

    suspend fun dispose() {
        runCatching { if (ready.isCompleted) dialogue.request("dispose", jsonOf(), DISPOSE_LIMIT_MS) }
        synchronized(lock) { disposed = true }
        starting?.cancel()
        reset(FailureCode.Disposed)
        withContext(threads.main) { page.drop() }
    }

    override fun onHello(body: JSONObject) {
        val current = synchronized(lock) {
            if (ready.isCompleted) ready = CompletableDeferred()
            ready
        }
        // The store has one thread: handles of the former session are gone before a request of this one.
        scope.launch(threads.store) { store.release() }
        scope.launch {
            try {
                withContext(threads.network) { transfers.cancelAll() }
                val answer = dialogue.request("configure", configuration, CONFIGURE_LIMIT_MS)
                mutableStatus.value = StatusBody.fromJson(answer).status
                dialogue.request("start", jsonOf(), CALL_LIMIT_MS)
                synchronized(lock) { failures = 0 }
                starting?.cancel()
                current.complete(Unit)
            } catch (error: SvcException) {
                current.completeExceptionally(error)
            }
        }
    }

    override fun onEvent(name: String, body: JSONObject) {
        when (name) {
            "status" -> mutableStatus.value = StatusBody.fromJson(body).status
            "prompt" -> PromptEvent.fromJson(body).let {
                if (it.attempt == synchronized(lock) { attempt }) mutablePrompt.value = it.prompt
            }
            "fault" -> {
                synchronized(lock) { ready }.completeExceptionally(failureOf(body))
                pageGone()
            }
        }
    }

    override fun contextOf(name: String): CoroutineContext = when {
        name.startsWith("transport.") -> threads.network
        name.startsWith("camera.") -> threads.main
        else -> threads.store
    }

    override suspend fun onRequest(name: String, body: JSONObject): JSONObject = ports.answer(name, body)

    private fun carryOutGuard() {
        store.guard.carryOut(System.currentTimeMillis())
    }

    private suspend fun call(name: String, body: JSONObject, limitMs: Long): JSONObject {
        awaitReady()
        return dialogue.request(name, body, limitMs)
    }

    private fun cancelAttempt(id: String) = tell("cancel", jsonOf("attempt" to id))

    /** A request whose answer changes nothing here. */
    private fun tell(name: String, body: JSONObject) {
        scope.launch { runCatching { dialogue.request(name, body, CALL_LIMIT_MS) } }
    }

    private fun reset(code: FailureCode) {
        val old = synchronized(lock) { ready.also { ready = CompletableDeferred() } }
        old.completeExceptionally(SvcException(code, "the page is gone"))
        dialogue.end(code)
    }

    private fun reasonOf(code: FailureCode): VerificationReason = when (code) {
        FailureCode.Cancelled -> VerificationReason.Cancelled
        FailureCode.Disposed -> VerificationReason.Disposed
        FailureCode.CameraDenied -> VerificationReason.CameraDenied
        else -> VerificationReason.EngineFailed
    }

    /** Never a Match: only the page's state machine gives one. */
    fun withoutPage(reason: VerificationReason, startedAtMs: Long): VerificationResult = VerificationResult(
        counts = VerificationCounts(0, 0, 0, 0, 0),
        outcome = VerificationOutcome.NoFace,
        protections = status.value?.protections ?: defaultProtections,
        reason = reason,
        timings = VerificationTimings(totalMs = nowMs() - startedAtMs),
    )

    private companion object {
        const val ATTEMPT_BYTES = 16
        const val RELOAD_PAUSE_MS = 500L
        const val MAX_DOUBLINGS = 7

        /** From the load to `configured`: networks are read and run once on a slow device. */
        const val LOAD_LIMIT_MS = 180_000L
        const val CONFIGURE_LIMIT_MS = 150_000L

        /** A person waits: a page that is not there in this time gives no result. */
        const val READY_LIMIT_MS = 10_000L

        /** Ten seconds for the camera, ten of the window, and networks that are loaded again in between. */
        const val ATTEMPT_LIMIT_MS = 60_000L
        const val SYNC_LIMIT_MS = 15 * 60_000L
        const val CALL_LIMIT_MS = 30_000L
        const val DISPOSE_LIMIT_MS = 5_000L
    }
}
