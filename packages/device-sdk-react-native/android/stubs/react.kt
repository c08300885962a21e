// The part of React Native's surface that the glue uses, as ReactAndroid 0.86 declares it, for the check of types alone.
package com.facebook.react

import com.facebook.react.bridge.NativeModule
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.module.model.ReactModuleInfoProvider
import com.facebook.react.uimanager.ViewManager

interface ReactPackage {
    fun getModule(name: String, reactContext: ReactApplicationContext): NativeModule?

    fun createViewManagers(reactContext: ReactApplicationContext): List<ViewManager<in Nothing, in Nothing>>
}

abstract class BaseReactPackage : ReactPackage {
    override fun createViewManagers(
        reactContext: ReactApplicationContext,
    ): List<ViewManager<in Nothing, in Nothing>> = emptyList()

    abstract fun getReactModuleInfoProvider(): ReactModuleInfoProvider
}
