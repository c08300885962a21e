package org.svc.device

import android.app.Application
import android.content.Context
import android.os.Build
import android.os.SystemClock
import java.io.IOException
import java.util.Locale
import java.util.concurrent.atomic.AtomicBoolean
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.withContext
import org.svc.device.contract.*
import org.svc.device.internal.ASSET_MANIFEST
import org.svc.device.internal.Assets
import org.svc.device.internal.Conversation
import org.svc.device.internal.PageRequests
import org.svc.device.internal.Threads
import org.svc.device.internal.Transfers
import org.svc.device.internal.platform.AppLifecycle
import org.svc.device.internal.platform.OpenStore
import org.svc.device.internal.platform.OpenStores
import org.svc.device.internal.platform.WebViewPage
import org.svc.device.internal.platform.askForCamera

/** Where the build puts the output of `svc-device-assets --native`: `src/main/assets/svc-device`. */
private const val ASSET_FOLDER = "svc-device"
private const val SHELL_VERSION = "0.2.0"

/**
 * A check-in device: holds one list's sealed templates and verifies, offline and one to one, that the person before the
 * camera is the one whose ID was scanned. One engine in the system's WebView, with keys in AndroidKeyStore.
 *
 * Syncs at once, and every five minutes while the app is in the foreground.
 */
class SvcDevice private constructor(
    private val app: Application,
    private val held: OpenStore,
    private val scope: CoroutineScope,
    assets: Assets,
    configuration: SvcDeviceConfiguration,
) {
    private val page: WebViewPage = WebViewPage(app, assets, { conversation.receive(it) }, { conversation.pageGone() })

    /** Views on the screen; the last one shows the page. */
    private val views = ArrayList<SvcCameraView>()
    private val transfers = Transfers()
    private val conversation: Conversation = Conversation(
        scope = scope,
        page = page,
        threads = Threads(held.thread.asCoroutineDispatcher(), Dispatchers.IO, Dispatchers.Main),
        store = held.store,
        transfers = transfers,
        ports = PageRequests(held.store, transfers) { askForCamera(app, views.lastOrNull()?.context) },
        configuration = configuration.toRequest(
            Locale.getDefault().toLanguageTag(),
            ShellInfo(Platform.Android, SHELL_VERSION, "API ${Build.VERSION.SDK_INT}"),
        ).toJson(),
        // Of results that this shell gives without a page: no check ran.
        defaultProtections = Protections(
            active = ActiveCheck.HeadTurn,
            attendance = Attendance.Staffed,
            light = LightProtection.Off,
            passive = PassiveCheck.AbsentStaffInView,
        ),
        nowMs = SystemClock::elapsedRealtime,
    )
    private val ended = AtomicBoolean()
    private val lifecycle = AppLifecycle(app) { conversation.lifecycle(it) }

    /** For a readiness screen; null until the page told it, and while the page is gone. */
    val status: StateFlow<DeviceStatus?> get() = conversation.status

    /** The running attempt's instruction to the person, for apps that draw it themselves; null without an attempt. */
    val prompt: StateFlow<Prompt?> get() = conversation.prompt

    /** Syncs now. @throws SvcException if the page is gone; a sync that fails is a result */
    suspend fun syncAsync(): SyncResult = conversation.sync()

    /**
     * Verifies the person before the camera. Pass the ID exactly as it was enrolled. Problems at the door are results:
     * without a [SvcCameraView] on the screen `NoFace` with `camera-failed`, with a page that is gone `NoFace` with
     * `engine-failed`. A cancelled coroutine cancels the attempt.
     * @param headTurn `Alternative` for a person who cannot turn their head
     */
    suspend fun verifyLive(scannedId: String, headTurn: HeadTurn = HeadTurn.Asked): VerificationResult {
        val isShown = withContext(Dispatchers.Main) { page.isShown }
        if (isShown || ended.get()) return conversation.verify(scannedId, headTurn)
        return conversation.withoutPage(VerificationReason.CameraFailed, SystemClock.elapsedRealtime())
    }

    /** Ends the running attempt with the reason `cancelled`. */
    fun cancel() = conversation.cancel()

    /** Staff saw the person: the answer to the prompt `staff-confirms`. Ignored otherwise. */
    fun confirmByStaff() = conversation.confirmByStaff()

    /** Takes back the last admission of this ID on this device, for one that was let in by mistake. */
    suspend fun takeBackAdmission(scannedId: String): TakeBackOutcome = conversation.takeBackAdmission(scannedId)

    /**
     * Deletes keys, then packs, of this device from this machine, and disposes it. The page is not asked. Goes on in a
     * coroutine that is cancelled.
     */
    suspend fun forget() = withContext(NonCancellable) {
        if (!end()) throw SvcException(FailureCode.Disposed, "the device was disposed")
        withContext(Dispatchers.IO) {
            try {
                asStorage { held.forget() }
            } finally {
                held.close()
            }
        }
    }

    /**
     * Stops the schedule and frees the page. What is stored stays. The device cannot be used again. Idempotent; goes on
     * in a coroutine that is cancelled.
     */
    suspend fun dispose() = withContext(NonCancellable) {
        if (end()) withContext(Dispatchers.IO) { held.close() }
    }

    internal fun showIn(view: SvcCameraView) {
        views += view
        page.show(view)
    }

    internal fun hideIn(view: SvcCameraView) {
        views -= view
        page.hide(view)
        if (!page.isShown) views.lastOrNull()?.let(page::show)
    }

    private suspend fun begin() {
        withContext(Dispatchers.Main) { lifecycle.register() }
        conversation.load()
        conversation.awaitReady()
    }

    /** @return false if the device was ended before */
    private suspend fun end(): Boolean {
        if (ended.getAndSet(true)) return false
        held.isEnding = true
        withContext(Dispatchers.Main) { lifecycle.unregister() }
        conversation.dispose()
        withContext(Dispatchers.IO) { transfers.cancelAll() }
        scope.cancel()
        return true
    }

    companion object {
        /**
         * Creates the app's device. Before anything else, deletes what is due. Waits until the page's networks are
         * loaded: create the device before the doors open, not at the first scan.
         * @throws SvcException `configuration-invalid`, `passive-liveness-missing`, `device-in-use`, `storage-failed`,
         * `webview-too-old` and the engine's own codes
         */
        suspend fun create(context: Context, configuration: SvcDeviceConfiguration): SvcDevice {
            val app = context.applicationContext as Application
            OpenStores.awaitEnding(configuration.store)
            val assets = withContext(Dispatchers.IO) {
                asStorage { OpenStores.carryOutGuards(app) }
                // Best effort: an app may run without WorkManager, or set it up later.
                runCatching { GuardWorker.schedule(app) }
                assetsOf(app)
            }
            // A caller that is cancelled in between must not leave the store held without a device.
            val device = withContext(NonCancellable) {
                val held = withContext(Dispatchers.IO) { asStorage { OpenStores.hold(app, configuration.store) } }
                val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
                withContext(Dispatchers.Main) { SvcDevice(app, held, scope, assets, configuration) }
            }
            try {
                device.begin()
                return device
            } catch (error: Throwable) {
                device.dispose()
                throw error
            }
        }

        private fun assetsOf(app: Application): Assets {
            val manifest = try {
                app.assets.open("$ASSET_FOLDER/$ASSET_MANIFEST").use { it.readBytes() }
            } catch (_: IOException) {
                throw SvcException(FailureCode.ModelMissing, "the app lacks assets/$ASSET_FOLDER (svc-device-assets)")
            }
            return Assets(String(manifest, Charsets.UTF_8)) { app.assets.open("$ASSET_FOLDER/$it") }
        }

        /** Files and keys fail in many ways, which all have one code. */
        private fun <T> asStorage(work: () -> T): T =
            try {
                work()
            } catch (error: SvcException) {
                throw error
            } catch (_: Exception) {
                throw SvcException(FailureCode.StorageFailed, "files or keys cannot be used")
            }
    }
}
