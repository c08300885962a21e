package org.svc.device

import android.content.Context
import androidx.work.ExistingPeriodicWorkPolicy
import androidx.work.PeriodicWorkRequest
import androidx.work.WorkManager
import androidx.work.Worker
import androidx.work.WorkerParameters
import java.util.concurrent.TimeUnit
import org.svc.device.internal.platform.OpenStores

/**
 * Deletes what is due while the app is not open. The system runs it about every fifteen minutes, later while it saves
 * power, and not at all after the user stopped the app; the next start of the app makes up for it.
 */
class GuardWorker(context: Context, parameters: WorkerParameters) : Worker(context, parameters) {
    override fun doWork(): Result =
        try {
            OpenStores.carryOutGuards(applicationContext)
            Result.success()
        } catch (_: Exception) {
            Result.retry()
        }

    internal companion object {
        private const val NAME = "org.svc.device.guard"
        private const val PERIOD_MINUTES = 15L

        fun schedule(context: Context) {
            val request = PeriodicWorkRequest.Builder(GuardWorker::class.java, PERIOD_MINUTES, TimeUnit.MINUTES).build()
            WorkManager.getInstance(context).enqueueUniquePeriodicWork(NAME, ExistingPeriodicWorkPolicy.KEEP, request)
        }
    }
}
