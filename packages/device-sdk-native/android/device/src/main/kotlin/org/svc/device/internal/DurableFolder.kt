package org.svc.device.internal

import java.io.File
import java.io.FileOutputStream
import java.io.IOException

/** Ends the names of files that are being written; those that a crash left are deleted at the next start. */
private const val UNFINISHED = ".tmp"

/**
 * A folder of small files and finished large ones. Each change is atomic, and durable once the call returns.
 * @param syncFolder makes a rename or deletion in a folder durable (fsync of the folder)
 */
internal class DurableFolder(private val folder: File, private val syncFolder: (File) -> Unit) {
    /** Names of finished files, in any order. */
    fun names(): List<String> = files().map { it.name }.filterNot { it.endsWith(UNFINISHED) }

    fun file(name: String) = File(folder, name)

    /** Null if there is none. */
    fun read(name: String): ByteArray? = file(name).takeIf { it.isFile }?.readBytes()

    /** Replaces an earlier file. */
    fun write(name: String, content: ByteArray) {
        val unfinished = unfinished(name)
        FileOutputStream(unfinished).use {
            it.write(content)
            it.fd.sync()
        }
        finish(unfinished, name)
    }

    /** A file that the caller writes, syncs and closes, and hands to [finish] or [delete]s. */
    fun unfinished(name: String): File {
        if (!folder.isDirectory && !folder.mkdirs() && !folder.isDirectory) throw IOException("no folder could be made")
        return File(folder, name + UNFINISHED)
    }

    fun finish(unfinished: File, name: String) {
        if (!unfinished.renameTo(file(name))) throw IOException("a file could not be renamed")
        syncFolder(folder)
    }

    /** Idempotent. */
    fun delete(name: String) {
        val file = file(name)
        if (!file.exists()) return
        if (!file.delete()) throw IOException("a file could not be deleted")
        syncFolder(folder)
    }

    /** Deletes what a crash left half-written. */
    fun deleteUnfinished() {
        for (file in files()) if (file.name.endsWith(UNFINISHED)) file.delete()
    }

    private fun files(): List<File> = folder.listFiles().orEmpty().filter { it.isFile }
}

/** The number in a file's name, or null if the name is another one. */
internal fun numberIn(name: String, prefix: String): Long? =
    if (name.startsWith(prefix)) name.substring(prefix.length).toLongOrNull()?.takeIf { it >= 1 } else null
