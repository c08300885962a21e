// What the plugin uses of Flutter's platform views.
package io.flutter.plugin.platform

import android.content.Context
import android.view.View
import io.flutter.plugin.common.MessageCodec

interface PlatformView {
    fun getView(): View?

    fun dispose()
}

interface PlatformViewRegistry {
    fun registerViewFactory(viewTypeId: String, factory: PlatformViewFactory): Boolean
}

abstract class PlatformViewFactory(val createArgsCodec: MessageCodec<Any>?) {
    abstract fun create(context: Context, viewId: Int, args: Any?): PlatformView
}
