package org.svc.device.internal

private const val GUARD = "guard"

/**
 * The time at which this app itself deletes the list, also if the page never runs again. Carried out at the app's start
 * and at every wake, before anything else.
 */
internal class Guard(
    private val folder: DurableFolder,
    private val keys: KeyVault,
    private val packs: PackFiles,
) {
    /** [eraseAtMs]: wall time, milliseconds since 1970; null for never. */
    fun set(eraseAtMs: Long?) {
        if (eraseAtMs == null) folder.delete(GUARD) else folder.write(GUARD, eraseAtMs.toString().toByteArray())
    }

    /**
     * Deletes keys, then packs and pages, if it is time. Interrupted at any point, the next call completes it. A time
     * that cannot be read counts as passed.
     * @return whether it was time
     */
    fun carryOut(nowMs: Long): Boolean {
        if (!isDue(folder, nowMs)) return false
        keys.eraseListKeys()
        packs.erase()
        set(null)
        return true
    }

    companion object {
        fun isDue(folder: DurableFolder, nowMs: Long): Boolean {
            val stored = folder.read(GUARD) ?: return false
            val eraseAtMs = String(stored, Charsets.UTF_8).toLongOrNull()
            return eraseAtMs == null || nowMs >= eraseAtMs
        }
    }
}
