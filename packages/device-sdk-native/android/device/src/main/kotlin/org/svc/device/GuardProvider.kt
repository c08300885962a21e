package org.svc.device

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.net.Uri
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
