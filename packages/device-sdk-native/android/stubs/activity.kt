// androidx.activity 1.9, what the shell uses.
package androidx.activity

import android.app.Activity
import androidx.activity.result.ActivityResultRegistry

open class ComponentActivity : Activity() {
    val activityResultRegistry: ActivityResultRegistry get() = TODO()
}
