package com.facebook.react.uimanager

import android.content.Context
import android.view.View
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.bridge.ReactContext

open class ReactShadowNode

open class LayoutShadowNode : ReactShadowNode()

class ThemedReactContext(val reactApplicationContext: ReactApplicationContext, base: Context) : ReactContext(base)

interface ViewManagerDelegate<T : View> {
    fun setProperty(view: T, propName: String, value: Any?)
}

interface ViewManagerWithGeneratedInterface

abstract class ViewManager<T : View, C : ReactShadowNode> {
    abstract fun getName(): String

    protected open fun getDelegate(): ViewManagerDelegate<T>? = null

    protected abstract fun createViewInstance(reactContext: ThemedReactContext): T

    open fun onDropViewInstance(view: T) = Unit
}

abstract class BaseViewManager<T : View, C : LayoutShadowNode> : ViewManager<T, C>()

abstract class SimpleViewManager<T : View> : BaseViewManager<T, LayoutShadowNode>()

abstract class BaseViewManagerDelegate<T : View, U : BaseViewManager<T, out LayoutShadowNode>>(
    @Suppress("UNUSED_PARAMETER") viewManager: U,
) : ViewManagerDelegate<T> {
    override fun setProperty(view: T, propName: String, value: Any?) = Unit
}
