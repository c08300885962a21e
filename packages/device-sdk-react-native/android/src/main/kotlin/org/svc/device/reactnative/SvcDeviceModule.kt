package org.svc.device.reactnative

import com.facebook.react.bridge.Arguments
import com.facebook.react.bridge.Promise
import com.facebook.react.bridge.ReactApplicationContext
import org.svc.device.channel.SvcDeviceChannel

/** Carries calls and events between JavaScript and the shell. */
internal class SvcDeviceModule(context: ReactApplicationContext, private val shell: SvcDeviceChannel) :
    NativeSvcDeviceSpec(context) {
    override fun initialize() {
        super.initialize()
        shell.setEvents { name, body ->
            val event = Arguments.createMap()
            event.putString("name", name)
            event.putString("body", body)
            emitOnDeviceEvent(event)
        }
    }

    override fun call(name: String, body: String, promise: Promise) {
        shell.call(name, body) { answer, code, message ->
            if (answer != null) promise.resolve(answer) else promise.reject(code ?: "runtime-failed", message)
        }
    }

    /** The JavaScript ends or is loaded anew: nobody holds the device any more. */
    override fun invalidate() {
        shell.setEvents(null)
        shell.call("dispose", "{}") { _, _, _ -> }
        super.invalidate()
    }
}
