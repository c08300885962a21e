package org.svc.device.reactnative

import android.content.Context
import android.view.View
import android.widget.FrameLayout
import com.facebook.react.uimanager.SimpleViewManager
import com.facebook.react.uimanager.ThemedReactContext
import com.facebook.react.uimanager.ViewManagerDelegate
import com.facebook.react.viewmanagers.SvcCameraViewManagerDelegate
import com.facebook.react.viewmanagers.SvcCameraViewManagerInterface
import org.svc.device.SvcCameraView
import org.svc.device.channel.SvcDeviceChannel

/** Puts the shell's view into React's tree. */
internal class SvcCameraViewManager(private val shell: SvcDeviceChannel) :
    SimpleViewManager<SvcCameraFrame>(),
    SvcCameraViewManagerInterface<SvcCameraFrame> {
    private val generated = SvcCameraViewManagerDelegate(this)

    override fun getDelegate(): ViewManagerDelegate<SvcCameraFrame> = generated

    override fun getName(): String = "SvcCameraView"

    /** The activity's context, because the camera's permission is asked for in an activity. */
    override fun createViewInstance(reactContext: ThemedReactContext): SvcCameraFrame {
        val context = reactContext.getCurrentActivity() ?: reactContext
        return SvcCameraFrame(context, shell.createCameraView(context))
    }

    override fun onDropViewInstance(view: SvcCameraFrame) {
        view.camera.device = null
        super.onDropViewInstance(view)
    }
}

/** React Native lays out its own views alone; this one lays out what the shell adds to its view later. */
internal class SvcCameraFrame(context: Context, val camera: SvcCameraView) : FrameLayout(context) {
    init {
        addView(camera, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.MATCH_PARENT))
    }

    override fun requestLayout() {
        super.requestLayout()
        post {
            measure(exactly(width), exactly(height))
            layout(left, top, right, bottom)
        }
    }

    private fun exactly(size: Int) = View.MeasureSpec.makeMeasureSpec(size, View.MeasureSpec.EXACTLY)
}
