package org.svc.device.internal

import java.security.SecureRandom
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.*

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

/** How long the page may be silent, milliseconds. */
internal class Limits(
    /** From the load to the end of `configure`: networks are read and run once on a slow device. */
    val load: Long = 180_000,
    val configure: Long = 150_000,
    /** A person waits: a page that is not there in this time gives no result. */
    val ready: Long = 10_000,
    /** A minute for the camera's permission, ten seconds for the camera, ten of the window, and loading networks. */
    val attempt: Long = 120_000,
    val sync: Long = 15 * 60_000,
    val call: Long = 30_000,
    val dispose: Long = 5_000,
    /** Before the first reload; doubled at each that fails, seven times at most. */
    val reload: Long = 500,
)

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
    defaultProtections: Protections,
    private val nowMs: () -> Long,
    private val limits: Limits = Limits(),
) : PageListener {
    private class Attempt(val id: String) {
        val cancelled = CompletableDeferred<Unit>()
    }

    private val random = SecureRandom()
    private val lock = Any()
    private val dialogue = Dialogue(scope, page::post, this)
    private val mutableStatus = MutableStateFlow<DeviceStatus?>(null)
    private val mutablePrompt = MutableStateFlow<Prompt?>(null)
    private var ready = CompletableDeferred<Unit>()
    private var starting: Job? = null
    private var isReloading = false
    private var protections = defaultProtections
    private var attempt: Attempt? = null
    private var failures = 0
    private var wasReady = false
    private var isInBackground = false
    private var disposed = false

    /** In their order: a deletion that is due takes its time. */
    private val states = Channel<LifecycleState>(Channel.UNLIMITED)

    init {
        scope.launch { for (state in states) follow(state) }
    }

    val status: StateFlow<DeviceStatus?> get() = mutableStatus
    val prompt: StateFlow<Prompt?> get() = mutablePrompt

    /** Loads the page; and again, a page that is not configured in time. */
    fun load() {
        val loading = synchronized(lock) {
            if (disposed) return
            if (ready.isCompleted) ready = CompletableDeferred()
            ready.also {
                starting?.cancel()
                starting = scope.launch { giveUp(it) }
            }
        }
        scope.launch(threads.main) {
            try {
                page.load()
            } catch (error: SvcException) {
                // At first the device is refused; later, as while the system's WebView is updated, it is tried again.
                if (loading.completeExceptionally(error) && synchronized(lock) { wasReady }) pageGone()
            }
        }
    }

    private suspend fun giveUp(loading: CompletableDeferred<Unit>) {
        delay(limits.load)
        if (loading.completeExceptionally(SvcException(FailureCode.Timeout, "the page did not start"))) pageGone()
    }

    fun receive(text: String) = dialogue.receive(text)

    /** The page's process ended. It is loaded anew, at growing intervals while it keeps ending. */
    fun pageGone() {
        reset(FailureCode.RendererGone)
        synchronized(lock) {
            if (disposed || isReloading) return
            isReloading = true
            val wait = limits.reload shl minOf(failures++, MAX_DOUBLINGS)
            scope.launch {
                delay(wait)
                // Before the load, which may fail at once.
                synchronized(lock) { isReloading = false }
                load()
            }
        }
    }

    /** Waits for the page to be configured. @throws SvcException with the code of its refusal */
    suspend fun awaitReady() = currentReady().await()

    private fun currentReady(): Deferred<Unit> = synchronized(lock) {
        if (disposed) throw SvcException(FailureCode.Disposed, "the device was disposed")
        ready
    }

    suspend fun sync(): SyncResult = call("sync", jsonOf(), limits.sync).let { SyncAnswer.fromJson(it).result }

    suspend fun takeBackAdmission(scannedId: String): TakeBackOutcome =
        call("takeBackAdmission", jsonOf("scannedId" to scannedId), limits.call)
            .let { TakeBackAnswer.fromJson(it).outcome }

    /**
     * The page's result of an attempt; or, of a page that is gone, silent or not configured, `NoFace` with its reason.
     */
    suspend fun verify(scannedId: String, headTurn: HeadTurn): VerificationResult {
        val startedAtMs = nowMs()
        val own = Attempt(toBase64Url(ByteArray(ATTEMPT_BYTES).also(random::nextBytes)))
        val isFirst = synchronized(lock) { (attempt == null).also { if (it) attempt = own } }
        if (!isFirst) return withoutPage(VerificationReason.AttemptInProgress, startedAtMs)
        try {
            reasonBefore(own)?.let { return withoutPage(it, startedAtMs) }
            val body = jsonOf("attempt" to own.id, "scannedId" to scannedId, "headTurn" to headTurn.value)
            // Its type has checked that outcome, reason and admission belong together.
            return VerifyAnswer.fromJson(dialogue.request("verify", body, limits.attempt)).result
        } catch (error: CancellationException) {
            cancel(own)
            throw error
        } catch (error: SvcException) {
            // A page that hangs would not hear a request either.
            if (error.code == FailureCode.Timeout) pageGone()
            return withoutPage(reasonOf(error.code), startedAtMs)
        } finally {
            synchronized(lock) { attempt = null }
            mutablePrompt.value = null
        }
    }

    /** Waits for the page. A slow one goes on loading. @return why the attempt ends before it begins, or null */
    private suspend fun reasonBefore(own: Attempt): VerificationReason? {
        val isThere = withTimeoutOrNull(limits.ready) {
            select {
                own.cancelled.onAwait { false }
                currentReady().onAwait { true }
            }
        }
        return when (isThere) {
            true -> null
            false -> VerificationReason.Cancelled
            null -> VerificationReason.EngineFailed
        }
    }

    /** Ends the running attempt, if any, with `cancelled`. */
    fun cancel() {
        synchronized(lock) { attempt }?.let(::cancel)
    }

    /** The page remembers a cancellation that overtakes its attempt. */
    private fun cancel(running: Attempt) {
        running.cancelled.complete(Unit)
        tell("cancel", jsonOf("attempt" to running.id))
    }

    /** Staff saw that the person before the camera is live. Ignored unless an attempt asks for it. */
    fun confirmByStaff() {
        val running = synchronized(lock) { attempt } ?: return
        tell("confirmByStaff", jsonOf("attempt" to running.id))
    }

    /** Deletions that are due come before the page hears of it. */
    fun lifecycle(state: LifecycleState) {
        states.trySend(state)
    }

    private suspend fun follow(state: LifecycleState) {
        if (state != LifecycleState.LowMemory) {
            synchronized(lock) { isInBackground = state == LifecycleState.Background }
        }
        runCatching { if (state == LifecycleState.Foreground) withContext(threads.store) { carryOutGuard() } }
        tellState(state)
    }

    private fun tellState(state: LifecycleState) =
        tell("lifecycle", jsonOf("state" to state.value), CoroutineStart.UNDISPATCHED)

    suspend fun dispose() {
        runCatching { if (ready.isCompleted) dialogue.request("dispose", jsonOf(), limits.dispose) }
        synchronized(lock) {
            disposed = true
            starting?.cancel()
        }
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
                // A page believes itself in the foreground.
                if (synchronized(lock) { isInBackground }) tellState(LifecycleState.Background)
                val answer = dialogue.request("configure", configuration, limits.configure)
                show(StatusBody.fromJson(answer).status)
                dialogue.request("start", jsonOf(), limits.call)
                synchronized(lock) {
                    starting?.cancel()
                    failures = 0
                    wasReady = true
                }
                current.complete(Unit)
            } catch (error: SvcException) {
                synchronized(lock) { starting }?.cancel()
                // At first the configuration may be the reason; later it was good once, and the page is tried again.
                if (current.completeExceptionally(error) && synchronized(lock) { wasReady }) pageGone()
            }
        }
    }

    override fun onEvent(name: String, body: JSONObject) {
        when (name) {
            "status" -> show(StatusBody.fromJson(body).status)
            "prompt" -> PromptEvent.fromJson(body).let {
                if (it.attempt == synchronized(lock) { attempt?.id }) mutablePrompt.value = it.prompt
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

    /** A request whose answer changes nothing here; sent at once by a caller who keeps an order ([start]). */
    private fun tell(name: String, body: JSONObject, start: CoroutineStart = CoroutineStart.DEFAULT) {
        scope.launch(start = start) { runCatching { dialogue.request(name, body, limits.call) } }
    }

    private fun show(status: DeviceStatus) {
        synchronized(lock) { protections = status.protections }
        mutableStatus.value = status
    }

    private fun reset(code: FailureCode) {
        mutableStatus.value = null
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
        protections = synchronized(lock) { protections },
        reason = reason,
        timings = VerificationTimings(totalMs = nowMs() - startedAtMs),
    )

    private companion object {
        const val ATTEMPT_BYTES = 16
        const val MAX_DOUBLINGS = 7
    }
}
