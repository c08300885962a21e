package org.svc.sample

import android.os.Bundle
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.TextView
import androidx.activity.ComponentActivity
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import org.svc.device.SvcCameraView
import org.svc.device.SvcDevice
import org.svc.device.SvcDeviceConfiguration
import org.svc.device.SvcException
import org.svc.device.contract.Region
import org.svc.device.contract.VerificationOutcome

/** A door: an ID is typed in place of a scan, and the person looks at the camera. */
class DoorActivity : ComponentActivity() {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Main)
    private lateinit var camera: SvcCameraView
    private lateinit var words: TextView
    private lateinit var scanned: EditText
    private lateinit var check: Button
    private var device: SvcDevice? = null

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        camera = SvcCameraView(this)
        words = TextView(this)
        scanned = EditText(this).apply { setSingleLine() }
        check = Button(this).apply {
            text = getString(R.string.check_in)
            isEnabled = false
            setOnClickListener { scope.launch { checkIn(scanned.text.toString()) } }
        }
        val column = LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            addView(camera, LinearLayout.LayoutParams(MATCH_PARENT, 0, 1f))
            for (view in listOf(words, scanned, check)) {
                addView(view, LinearLayout.LayoutParams(MATCH_PARENT, WRAP_CONTENT))
            }
        }
        setContentView(column)
        scope.launch { open() }
    }

    private suspend fun open() {
        val configuration = SvcDeviceConfiguration(
            deviceToken = BuildConfig.DEVICE_TOKEN,
            region = Region(baseUrl = BuildConfig.BASE_URL, signingKeys = listOf(BuildConfig.SIGNING_KEY)),
        )
        try {
            val opened = SvcDevice.create(this, configuration)
            device = opened
            camera.device = opened
            check.isEnabled = true
            opened.status.collect { words.text = if (it?.ready == true) "" else getString(R.string.not_ready) }
        } catch (error: SvcException) {
            words.text = error.code.value
        }
    }

    private suspend fun checkIn(scannedId: String) {
        check.isEnabled = false
        val result = device?.verifyLive(scannedId)
        words.text = when (result?.outcome) {
            VerificationOutcome.Match -> getString(R.string.welcome)
            VerificationOutcome.NotEnrolled, VerificationOutcome.LeaseExpired, VerificationOutcome.Expired ->
                getString(R.string.standard_check_in)
            else -> getString(R.string.ask_staff)
        }
        check.isEnabled = true
    }

    override fun onDestroy() {
        camera.device = null
        val ended = device
        scope.cancel()
        CoroutineScope(Dispatchers.Main).launch { ended?.dispose() }
        super.onDestroy()
    }
}
