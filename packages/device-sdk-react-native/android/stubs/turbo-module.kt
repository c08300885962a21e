package com.facebook.react.turbomodule.core.interfaces

interface TurboModule {
    fun initialize()

    fun invalidate()
}
