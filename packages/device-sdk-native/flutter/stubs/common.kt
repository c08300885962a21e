// What the plugin uses of Flutter's channels.
package io.flutter.plugin.common

interface BinaryMessenger

interface MessageCodec<T>

class StandardMessageCodec private constructor() : MessageCodec<Any> {
    companion object {
        @JvmField val INSTANCE = StandardMessageCodec()
    }
}

class MethodCall(@JvmField val method: String, @JvmField val arguments: Any?)

class MethodChannel(messenger: BinaryMessenger, name: String) {
    init {
        listOf(messenger, name)
    }

    fun setMethodCallHandler(handler: MethodCallHandler?): Unit = TODO("$handler")

    fun invokeMethod(method: String, arguments: Any?): Unit = TODO("$method $arguments")

    interface MethodCallHandler {
        fun onMethodCall(call: MethodCall, result: Result)
    }

    interface Result {
        fun success(result: Any?)

        fun error(errorCode: String, errorMessage: String?, errorDetails: Any?)
    }
}
