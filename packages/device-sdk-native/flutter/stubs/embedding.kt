// What the plugin uses of Flutter's engine.
package io.flutter.embedding.engine.plugins

import android.content.Context
import io.flutter.plugin.common.BinaryMessenger
import io.flutter.plugin.platform.PlatformViewRegistry

interface FlutterPlugin {
    fun onAttachedToEngine(binding: FlutterPluginBinding)

    fun onDetachedFromEngine(binding: FlutterPluginBinding)

    abstract class FlutterPluginBinding {
        abstract val applicationContext: Context
        abstract val binaryMessenger: BinaryMessenger
        abstract val platformViewRegistry: PlatformViewRegistry
    }
}
