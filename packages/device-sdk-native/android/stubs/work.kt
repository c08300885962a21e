// androidx.work 2.9, what the shell uses.
package androidx.work

import android.content.Context
import java.util.concurrent.TimeUnit

enum class ExistingPeriodicWorkPolicy { KEEP }

class WorkerParameters

@Suppress("UNUSED_PARAMETER")
abstract class Worker(context: Context, parameters: WorkerParameters) {
    val applicationContext: Context get() = TODO()

    abstract fun doWork(): Result

    abstract class Result {
        companion object {
            fun success(): Result = TODO()

            fun retry(): Result = TODO()
        }
    }
}

class PeriodicWorkRequest {
    class Builder(worker: Class<out Worker>, interval: Long, unit: TimeUnit) {
        init {
            listOf(worker, interval, unit)
        }

        fun build(): PeriodicWorkRequest = TODO()
    }
}

abstract class WorkManager {
    abstract fun enqueueUniquePeriodicWork(
        name: String,
        policy: ExistingPeriodicWorkPolicy,
        request: PeriodicWorkRequest,
    )

    companion object {
        fun getInstance(context: Context): WorkManager = TODO("$context")
    }
}
