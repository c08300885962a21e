package org.svc.device.internal.platform

import android.Manifest
import android.app.admin.DevicePolicyManager
import android.content.Context
import android.content.ContextWrapper
import android.content.pm.PackageManager
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts
import java.util.UUID
import kotlinx.coroutines.Job
import kotlinx.coroutines.withTimeoutOrNull
import org.svc.device.contract.CameraPermission

/** How often the activity that asks is looked at. */
private const val LOOK_MS = 1_000L

/** Ends with the question that is open: the system refuses a second one. Of the main thread. */
private var asked: Job? = null

/**
 * Asks for the camera on the main thread.
 * @param view the context of the view that shows the page; null without one
 */
internal suspend fun askForCamera(app: Context, view: Context?): CameraPermission {
    val policies = app.getSystemService(Context.DEVICE_POLICY_SERVICE) as DevicePolicyManager?
    if (policies?.getCameraDisabled(null) == true) return CameraPermission.Restricted
    if (!isGranted(app)) view?.let(::activityOf)?.let { ask(it) }
    return if (isGranted(app)) CameraPermission.Granted else CameraPermission.Denied
}

private fun isGranted(app: Context) =
    app.checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED

private suspend fun ask(activity: ComponentActivity) {
    asked?.let { return it.join() }
    val answered = Job()
    asked = answered
    // Registered without a lifecycle owner, because the activity has started already: unregistered here.
    val launcher = activity.activityResultRegistry.register(
        "svc-device-${UUID.randomUUID()}",
        ActivityResultContracts.RequestPermission(),
    ) { answered.complete() }
    try {
        launcher.launch(Manifest.permission.CAMERA)
        // An activity that was made anew, as by a rotation, is never told the answer.
        while (answered.isActive && !activity.isDestroyed) withTimeoutOrNull(LOOK_MS) { answered.join() }
    } finally {
        asked = null
        answered.complete()
        launcher.unregister()
    }
}

private tailrec fun activityOf(context: Context): ComponentActivity? = when (context) {
    is ComponentActivity -> context
    is ContextWrapper -> activityOf(context.baseContext)
    else -> null
}
