package org.svc.device.channel

import android.content.Context
import java.lang.ref.WeakReference
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Job
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.filterNotNull
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.json.JSONException
import org.json.JSONObject
import org.svc.device.SvcCameraView
import org.svc.device.SvcDevice
import org.svc.device.SvcDeviceConfiguration
import org.svc.device.SvcException
import org.svc.device.contract.*
import org.svc.device.internal.CONTRACT_MINOR
import org.svc.device.internal.formOf
import org.svc.device.internal.jsonOf

/** How a call ends: with an answer's body, or with a failure's code and message. */
fun interface SvcAnswer {
    fun onAnswer(body: String?, code: String?, message: String?)
}

/** Gets events. */
fun interface SvcEvents {
    fun onEvent(name: String, body: String)
}

/**
 * One device for hosts in other languages, such as Flutter and .NET MAUI: the names of the contract, and its bodies as
 * JSON texts, without what the shell adds (`minor`, `shell`, `attempt`). Answers and events come on the main thread.
 */
class SvcDeviceChannel(private val context: Context) {
    private val scope = MainScope()

    /** Ends with [close]. */
    private val calls = SupervisorJob()
    private var events: SvcEvents? = null
    private var device: SvcDevice? = null
    private var watch: Job? = null

    /** The last call of `configure`. */
    private var opening: Job? = null
    private var view = WeakReference<SvcCameraView>(null)

    fun setEvents(listener: SvcEvents?) {
        events = listener
    }

    /** May be called from any thread. Each call is answered once, also one that comes after [close]. */
    fun call(name: String, body: String, answer: SvcAnswer) {
        scope.launch {
            val result = runCatching { withContext(calls) { carryOut(name, JSONObject(body)).toString() } }
            val failure = result.exceptionOrNull()?.let(::failureOf)
            answer.onAnswer(result.getOrNull(), failure?.code?.value, failure?.message)
        }
    }

    private fun failureOf(error: Throwable): SvcException = when (error) {
        is SvcException -> error
        is CancellationException -> SvcException(FailureCode.Disposed, "the device was disposed")
        is JSONException -> SvcException(FailureCode.MessageInvalid, "a body of another form")
        else -> SvcException(FailureCode.RuntimeFailed, "the shell could not do it")
    }

    /** A view that shows the device, in place of the one that was created before. Main thread. */
    fun createCameraView(context: Context): SvcCameraView {
        view.get()?.device = null
        return SvcCameraView(context).also {
            it.device = device
            view = WeakReference(it)
        }
    }

    /** Frees the device; what is stored stays. */
    fun close() {
        scope.launch {
            runCatching { release()?.dispose() }
            calls.cancel()
        }
    }

    private suspend fun carryOut(name: String, body: JSONObject): JSONObject {
        when (name) {
            "configure" -> return statusBody(open(body).status.filterNotNull().first())
            "sync" -> return jsonOf("result" to current().syncAsync().toJson())
            "verify" -> {
                val headTurn = formOf { HeadTurn.of(body.getString("headTurn")) }
                return jsonOf("result" to current().verifyLive(body.getString("scannedId"), headTurn).toJson())
            }
            "cancel" -> current().cancel()
            "confirmByStaff" -> current().confirmByStaff()
            "takeBackAdmission" -> {
                return jsonOf("outcome" to current().takeBackAdmission(body.getString("scannedId")).value)
            }
            "forget" -> {
                endOpening()
                current().also { release() }.forget()
            }
            "dispose" -> {
                if (!endOpening()) current()
                release()?.dispose()
            }
            else -> throw SvcException(FailureCode.UnknownName, "the channel has no such call")
        }
        return jsonOf()
    }

    private fun current(): SvcDevice =
        device ?: throw SvcException(FailureCode.NotConfigured, "there is no device")

    /** A host that was started anew in this process, such as by a hot restart, gets another device. */
    private suspend fun open(body: JSONObject): SvcDevice {
        val configuration = configurationOf(body)
        while (endOpening()) Unit
        opening = currentCoroutineContext().job
        release()?.dispose()
        val opened = SvcDevice.create(context, configuration)
        device = opened
        view.get()?.device = opened
        watch = scope.launch {
            launch { opened.status.filterNotNull().collect { tell("status", statusBody(it)) } }
            launch { opened.prompt.collect { tell("prompt", promptBody(it)) } }
        }
        return opened
    }

    /** A `configure` that runs is failed, and leaves nothing open. @return false without one */
    private suspend fun endOpening(): Boolean {
        val running = opening?.takeIf { it.isActive } ?: return false
        running.cancelAndJoin()
        return true
    }

    /** Nothing of the device that was is called or told of any more. */
    private fun release(): SvcDevice? {
        watch?.cancel()
        view.get()?.device = null
        return device.also { device = null }
    }

    private fun tell(name: String, body: JSONObject) {
        events?.onEvent(name, body.toString())
    }

    private fun statusBody(status: DeviceStatus) = jsonOf("status" to status.toJson())

    private fun promptBody(prompt: Prompt?) = jsonOf("prompt" to prompt?.toJson())

    private fun configurationOf(body: JSONObject): SvcDeviceConfiguration = formOf {
        val shell = ShellInfo(Platform.Android, "", "").toJson()
        val asked = ConfigureRequest.fromJson(body.put("minor", CONTRACT_MINOR).put("shell", shell))
        SvcDeviceConfiguration(
            deviceToken = asked.deviceToken,
            region = asked.region,
            passiveLiveness = asked.passiveLiveness,
            lightChallenge = asked.lightChallenge,
            maxSyncBytes = asked.maxSyncBytes,
            syncTimeoutMs = asked.syncTimeoutMs,
            language = asked.language,
            prompts = asked.prompts,
            camera = asked.camera,
        )
    }
}
