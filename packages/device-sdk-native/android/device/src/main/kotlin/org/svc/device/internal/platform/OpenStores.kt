package org.svc.device.internal.platform

import android.content.Context
import android.system.Os
import android.system.OsConstants
import java.io.File
import java.io.IOException
import java.io.RandomAccessFile
import java.nio.channels.FileLock
import java.nio.channels.OverlappingFileLockException
import java.util.concurrent.ExecutionException
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.withTimeoutOrNull
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode
import org.svc.device.internal.DeviceKey
import org.svc.device.internal.DeviceStore
import org.svc.device.internal.DurableFolder
import org.svc.device.internal.Guard
import org.svc.device.internal.KeyVault
import org.svc.device.internal.PackFiles
import org.svc.device.internal.SealedFiles
import org.svc.device.internal.WrappedDeviceKey

private const val FOLDER = "svc-device"
private const val ALIAS = "org.svc.device"
private val NAME = Regex("[A-Za-z0-9-]{1,64}")

/** A device's store with the thread that uses it, held by one device of one process. */
internal class OpenStore(val name: String, val store: DeviceStore, private val lock: FileLock) {
    val thread: ExecutorService = Executors.newSingleThreadExecutor { Thread(it, "svc-device-store") }
    val closed = CompletableDeferred<Unit>()

    /** It will be closed soon. */
    @Volatile var isEnding = false

    /** Carries out what is due, after all that was asked of the store before. Blocks. */
    fun carryOutGuard() = inTurn { store.guard.carryOut(System.currentTimeMillis()) }

    /** Deletes keys, then packs, then all else. Blocks. */
    fun forget() = inTurn {
        store.keys.eraseListKeys()
        store.keys.eraseOwnKeys()
        store.packs.erase()
        store.packs.eraseState()
        store.guard.set(null)
    }

    private fun inTurn(work: () -> Unit) {
        try {
            thread.submit(work).get()
        } catch (error: ExecutionException) {
            throw error.cause ?: error
        }
    }

    fun close() {
        try {
            inTurn(store::release)
        } finally {
            thread.shutdown()
            thread.awaitTermination(CLOSE_LIMIT_S, TimeUnit.SECONDS)
            lock.channel().close()
            OpenStores.closed(this)
            closed.complete(Unit)
        }
    }

    private companion object {
        const val CLOSE_LIMIT_S = 10L
    }
}

/** The stores of this app: folders in `noBackupFilesDir`, which no backup and no device transfer copies. */
internal object OpenStores {
    private val open = HashMap<String, OpenStore>()
    private const val ENDING_LIMIT_MS = 20_000L

    /** Waits for a device that is being disposed: an activity that is made anew disposes one and creates the next. */
    suspend fun awaitEnding(name: String) {
        val ending = synchronized(open) { open[name] }?.takeIf { it.isEnding } ?: return
        withTimeoutOrNull(ENDING_LIMIT_MS) { ending.closed.await() }
    }

    /** @throws SvcException `device-in-use`, `configuration-invalid` for a name of another form */
    fun hold(context: Context, name: String): OpenStore = synchronized(open) {
        if (!NAME.matches(name)) throw SvcException(FailureCode.ConfigurationInvalid, "the store has another name")
        if (name in open) throw inUse()
        val folder = File(root(context), name)
        if (!folder.isDirectory && !folder.mkdirs()) throw IOException("no folder could be made")
        val lock = lockOf(folder)
        OpenStore(name, storeIn(context, folder, name), lock).also { open[name] = it }
    }

    fun closed(store: OpenStore) {
        synchronized(open) { open.remove(store.name) }
    }

    /**
     * Carries out the guard of every device of this app, open or not, even if one before fails. Blocks; where nothing
     * is due, for the time of reading one small file a device.
     */
    fun carryOutGuards(context: Context) {
        val due = root(context).listFiles().orEmpty().filter {
            Guard.isDue(DurableFolder(it, ::syncFolder), System.currentTimeMillis())
        }
        val failures = due.mapNotNull { runCatching { carryOutGuard(context, it.name) }.exceptionOrNull() }
        failures.firstOrNull()?.let { throw it }
    }

    private fun carryOutGuard(context: Context, name: String) {
        val running = synchronized(open) { open[name] }
        if (running != null) return running.carryOutGuard()
        val held = try {
            hold(context, name)
        } catch (error: SvcException) {
            // Another process has it open, and carries it out itself.
            if (error.code == FailureCode.DeviceInUse) return
            throw error
        }
        held.isEnding = true
        try {
            held.carryOutGuard()
        } finally {
            held.close()
        }
    }

    private fun root(context: Context) = File(context.noBackupFilesDir, FOLDER)

    private fun lockOf(folder: File): FileLock {
        val channel = RandomAccessFile(File(folder, "lock"), "rw").channel
        val lock = try {
            channel.tryLock()
        } catch (_: OverlappingFileLockException) {
            null
        }
        if (lock == null) {
            channel.close()
            throw inUse()
        }
        return lock
    }

    private fun storeIn(context: Context, folder: File, name: String): DeviceStore {
        val packs = PackFiles(folderIn(folder, "packs"))
        val sealed = SealedFiles(folderIn(folder, "keys"), KeystoreBox("$ALIAS/$name/"))
        val keys = KeyVault(sealed, deviceKeyOf(context, WrappedDeviceKey(sealed), "$ALIAS.device-key/$name"))
        return DeviceStore(keys, packs, Guard(folderIn(folder, "."), keys, packs))
    }

    private fun folderIn(parent: File, name: String) =
        DurableFolder(File(parent, name), ::syncFolder).apply { deleteUnfinished() }

    /** A pair that was made before an update of the system stays: the service has bound the token to it. */
    private fun deviceKeyOf(context: Context, wrapped: WrappedDeviceKey, alias: String): DeviceKey =
        if (wrapped.exists() || !KeystoreDeviceKey.isPossible(context)) wrapped else KeystoreDeviceKey(context, alias)

    private fun syncFolder(folder: File) {
        val descriptor = Os.open(folder.path, OsConstants.O_RDONLY, 0)
        try {
            Os.fsync(descriptor)
        } finally {
            Os.close(descriptor)
        }
    }

    private fun inUse() = SvcException(FailureCode.DeviceInUse, "another device of this app uses the store")
}
