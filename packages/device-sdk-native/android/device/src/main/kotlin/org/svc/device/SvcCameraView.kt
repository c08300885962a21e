package org.svc.device

import android.content.Context
import android.util.AttributeSet
import android.widget.FrameLayout

/**
 * Shows a device's camera picture, with the prompts if the page draws them. Attempts need it on the screen. Its
 * activity must be a `ComponentActivity`, so that the camera's permission can be asked for.
 */
class SvcCameraView @JvmOverloads constructor(context: Context, attributes: AttributeSet? = null) :
    FrameLayout(context, attributes) {
    /** Null shows nothing. A device is shown by one view at a time: the last of those on the screen. */
    var device: SvcDevice? = null
        set(value) {
            if (field === value) return
            if (isAttachedToWindow) field?.hideIn(this)
            field = value
            if (isAttachedToWindow) value?.showIn(this)
        }

    override fun onAttachedToWindow() {
        super.onAttachedToWindow()
        device?.showIn(this)
    }

    override fun onDetachedFromWindow() {
        device?.hideIn(this)
        super.onDetachedFromWindow()
    }
}
