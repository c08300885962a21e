package org.svc.device.internal.platform

import android.Manifest
import android.app.admin.DevicePolicyManager
import android.content.Context
import android.content.ContextWrapper
import android.content.pm.PackageManager
import androidx.activity.ComponentActivity
import androidx.activity.result.ActivityResultLauncher
import androidx.activity.result.contract.ActivityResultContracts
import java.util.UUID
import kotlin.coroutines.resume
import kotlinx.coroutines.suspendCancellableCoroutine
import org.svc.device.contract.CameraPermission

/**
 * Asks for the camera on the main thread.
 * @param view the context of the view that shows the page; null without one
 */
internal suspend fun askForCamera(app: Context, view: Context?): CameraPermission {
    val policies = app.getSystemService(Context.DEVICE_POLICY_SERVICE) as DevicePolicyManager?
    if (policies?.getCameraDisabled(null) == true) return CameraPermission.Restricted
    if (app.checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED) {
        return CameraPermission.Granted
    }
    val activity = view?.let(::activityOf) ?: return CameraPermission.Denied
    val granted = suspendCancellableCoroutine<Boolean> { waiting ->
        var launcher: ActivityResultLauncher<String>? = null
        // Registered without a lifecycle owner, because the activity has started already: unregistered here.
        launcher = activity.activityResultRegistry.register(
            "svc-device-${UUID.randomUUID()}",
            ActivityResultContracts.RequestPermission(),
        ) {
            launcher?.unregister()
            if (waiting.isActive) waiting.resume(it)
        }
        waiting.invokeOnCancellation { activity.runOnUiThread { launcher.unregister() } }
        launcher.launch(Manifest.permission.CAMERA)
    }
    return if (granted) CameraPermission.Granted else CameraPermission.Denied
}

private tailrec fun activityOf(context: Context): ComponentActivity? = when (context) {
    is ComponentActivity -> context
    is ContextWrapper -> activityOf(context.baseContext)
    else -> null
}
