package org.svc.device

import android.content.ContentProvider
import android.content.ContentValues
import android.content.Context
import android.database.Cursor
import android.net.Uri
import androidx.work.ExistingPeriodicWorkPolicy
import androidx.work.PeriodicWorkRequest
import androidx.work.WorkManager
import androidx.work.Worker
import androidx.work.WorkerParameters
import java.util.concurrent.TimeUnit
import org.svc.device.internal.platform.OpenStores

/**
 * Deletes what is due whenever the system starts the app, for any reason, before the app's own code runs. It provides
 * nothing. Where nothing is due it costs reading one small file.
 */
class GuardProvider : ContentProvider() {
    override fun onCreate(): Boolean {
        // An app must start even if its storage fails; whatever opens a device tries again, and fails then.
        context?.let { runCatching { OpenStores.carryOutGuards(it) } }
        return true
    }

    override fun query(uri: Uri, names: Array<String>?, where: String?, args: Array<String>?, by: String?): Cursor? = null

    override fun getType(uri: Uri): String? = null

    override fun insert(uri: Uri, values: ContentValues?): Uri? = null

    override fun delete(uri: Uri, where: String?, args: Array<String>?): Int = 0

    override fun update(uri: Uri, values: ContentValues?, where: String?, args: Array<String>?): Int = 0
}

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
