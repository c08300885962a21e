package com.facebook.react.bridge

import android.app.Activity
import android.content.Context
import android.content.ContextWrapper

abstract class ReactContext(base: Context) : ContextWrapper(base) {
    open fun getCurrentActivity(): Activity? = null
}

abstract class ReactApplicationContext(context: Context) : ReactContext(context)

interface NativeModule {
    fun getName(): String

    fun initialize()

    fun invalidate()
}

fun interface CxxCallback {
    fun invoke(vararg arguments: Any?)
}

abstract class BaseJavaModule : NativeModule {
    @JvmField
    protected var mEventEmitterCallback: CxxCallback? = null

    override fun initialize() = Unit

    override fun invalidate() = Unit
}

abstract class ReactContextBaseJavaModule(@Suppress("UNUSED_PARAMETER") context: ReactApplicationContext?) :
    BaseJavaModule()

annotation class ReactMethod

interface ReadableMap

interface WritableMap : ReadableMap {
    fun putString(key: String, value: String?)
}

object Arguments {
    @JvmStatic
    fun createMap(): WritableMap = TODO()
}

interface Promise {
    fun resolve(value: Any?)

    fun reject(code: String?, message: String?)

    fun reject(code: String?, throwable: Throwable?)
}
