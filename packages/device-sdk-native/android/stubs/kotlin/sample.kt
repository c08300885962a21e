// What the build generates for the sample.
package org.svc.sample

object BuildConfig {
    const val DEVICE_TOKEN = ""
    const val BASE_URL = ""
    const val SIGNING_KEY = ""
}

object R {
    object string {
        const val check_in = 0
        const val not_ready = 1
        const val welcome = 2
        const val standard_check_in = 3
        const val ask_staff = 4
    }
}
