package org.svc.device.internal.platform

import android.app.Activity
import android.app.Application
import android.content.ComponentCallbacks2
import android.content.res.Configuration
import android.os.Bundle
import org.svc.device.contract.LifecycleState

/** Tells when the app comes to the foreground, leaves it, and is short of memory. On the main thread. */
internal class AppLifecycle(private val app: Application, private val tell: (LifecycleState) -> Unit) :
    Application.ActivityLifecycleCallbacks, ComponentCallbacks2 {
    /** As far as they were seen since this was registered: the system tells of no activity that had started before. */
    private val started = HashSet<Activity>()

    fun register() {
        app.registerActivityLifecycleCallbacks(this)
        app.registerComponentCallbacks(this)
    }

    fun unregister() {
        app.unregisterActivityLifecycleCallbacks(this)
        app.unregisterComponentCallbacks(this)
    }

    override fun onActivityStarted(activity: Activity) {
        if (started.isEmpty()) tell(LifecycleState.Foreground)
        started += activity
    }

    // One that was never seen to start is behind another one that ends now, or is about to be.
    override fun onActivityResumed(activity: Activity) = started.plusAssign(activity)

    override fun onActivityPaused(activity: Activity) = started.plusAssign(activity)

    override fun onActivityStopped(activity: Activity) {
        started -= activity
        if (started.isEmpty() && !activity.isChangingConfigurations) tell(LifecycleState.Background)
    }

    override fun onTrimMemory(level: Int) {
        // Of a running app alone: one in the background has ended its attempt already.
        if (level in ComponentCallbacks2.TRIM_MEMORY_RUNNING_LOW until ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN) {
            tell(LifecycleState.LowMemory)
        }
    }

    @Deprecated("Deprecated in Java")
    override fun onLowMemory() = tell(LifecycleState.LowMemory)

    override fun onConfigurationChanged(configuration: Configuration) = Unit

    override fun onActivityCreated(activity: Activity, state: Bundle?) = Unit

    override fun onActivitySaveInstanceState(activity: Activity, state: Bundle) = Unit

    override fun onActivityDestroyed(activity: Activity) = Unit
}
