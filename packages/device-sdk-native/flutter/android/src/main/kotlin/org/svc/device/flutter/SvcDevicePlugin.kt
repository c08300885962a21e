package org.svc.device.flutter

import android.content.Context
import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.plugin.common.MethodCall
import io.flutter.plugin.common.MethodChannel
import io.flutter.plugin.common.StandardMessageCodec
import io.flutter.plugin.platform.PlatformView
import io.flutter.plugin.platform.PlatformViewFactory
import org.svc.device.channel.SvcDeviceChannel

/** Carries calls and events between Dart and the shell. */
class SvcDevicePlugin : FlutterPlugin, MethodChannel.MethodCallHandler {
    private lateinit var dart: MethodChannel
    private lateinit var shell: SvcDeviceChannel

    override fun onAttachedToEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        shell = SvcDeviceChannel(binding.applicationContext)
        dart = MethodChannel(binding.binaryMessenger, "svc_device")
        dart.setMethodCallHandler(this)
        shell.setEvents { name, body -> dart.invokeMethod(name, body) }
        binding.platformViewRegistry.registerViewFactory("svc_device/camera", CameraViewFactory(shell))
    }

    override fun onMethodCall(call: MethodCall, result: MethodChannel.Result) {
        shell.call(call.method, call.arguments as? String ?: "") { body, code, message ->
            if (body != null) result.success(body) else result.error(code ?: "message-invalid", message, null)
        }
    }

    override fun onDetachedFromEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        dart.setMethodCallHandler(null)
        shell.setEvents(null)
        shell.close()
    }
}

private class CameraViewFactory(private val shell: SvcDeviceChannel) :
    PlatformViewFactory(StandardMessageCodec.INSTANCE) {
    override fun create(context: Context, viewId: Int, args: Any?): PlatformView {
        val shown = shell.createCameraView(context)
        return object : PlatformView {
            override fun getView() = shown

            override fun dispose() {
                shown.device = null
            }
        }
    }
}
