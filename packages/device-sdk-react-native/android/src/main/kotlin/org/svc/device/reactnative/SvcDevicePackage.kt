package org.svc.device.reactnative

import com.facebook.react.BaseReactPackage
import com.facebook.react.bridge.NativeModule
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.module.model.ReactModuleInfo
import com.facebook.react.module.model.ReactModuleInfoProvider
import com.facebook.react.uimanager.ViewManager
import org.svc.device.channel.SvcDeviceChannel

/** Found by React Native's autolinking. The shell's channel outlives a reload of the JavaScript. */
class SvcDevicePackage : BaseReactPackage() {
    private var shell: SvcDeviceChannel? = null

    override fun getModule(name: String, reactContext: ReactApplicationContext): NativeModule? =
        if (name == NativeSvcDeviceSpec.NAME) SvcDeviceModule(reactContext, shellOf(reactContext)) else null

    override fun createViewManagers(reactContext: ReactApplicationContext): List<ViewManager<*, *>> =
        listOf(SvcCameraViewManager(shellOf(reactContext)))

    override fun getReactModuleInfoProvider() = ReactModuleInfoProvider {
        val name = NativeSvcDeviceSpec.NAME
        mapOf(name to ReactModuleInfo(name, SvcDeviceModule::class.java.name, false, false, false, true))
    }

    @Synchronized
    private fun shellOf(context: ReactApplicationContext): SvcDeviceChannel =
        shell ?: SvcDeviceChannel(context.applicationContext).also { shell = it }
}
