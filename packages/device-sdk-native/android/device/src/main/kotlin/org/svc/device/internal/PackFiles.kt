package org.svc.device.internal

import java.io.Closeable
import java.io.File
import java.io.FileOutputStream
import java.io.RandomAccessFile
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode
import org.svc.device.contract.OpenedPack

/** Bytes of a chunk of a pack and of an answer at most: 256 KiB as base64url. */
internal const val MAX_CHUNK_BYTES = 196_608

private const val STATE = "state"
private const val PACK = "pack-"
private const val PAGE = "page-"

/** The pack store of the contract. Used by one thread. */
internal class PackFiles(private val folder: DurableFolder) : Closeable {
    private class Upload(val generation: Long, val file: File) {
        val output = FileOutputStream(file)
        var length = 0L
    }

    private val handles = Handles()
    private val uploads = HashMap<Long, Upload>()
    private val readers = HashMap<Long, RandomAccessFile>()

    fun readState(): ByteArray? = folder.read(STATE)

    fun writeState(state: ByteArray) = folder.write(STATE, state)

    fun beginPack(generation: Long): Long {
        val id = handles.next()
        uploads[id] = Upload(generation, folder.unfinished("$PACK$generation-$id"))
        return id
    }

    fun appendPack(id: Long, offset: Long, chunk: ByteArray) {
        val upload = uploads[id] ?: throw noSuch("upload")
        if (offset != upload.length) throw messageInvalid("another offset than the pack's length so far")
        upload.output.write(chunk)
        upload.length += chunk.size
    }

    fun commitPack(id: Long) {
        val upload = uploads.remove(id) ?: throw noSuch("upload")
        try {
            upload.output.use { it.fd.sync() }
            folder.finish(upload.file, "$PACK${upload.generation}")
        } catch (error: Exception) {
            upload.file.delete()
            throw error
        }
    }

    fun abandonPack(id: Long) {
        val upload = uploads.remove(id) ?: throw noSuch("upload")
        upload.output.use { upload.file.delete() }
    }

    /** Null if there is no such pack. */
    fun openPack(generation: Long): OpenedPack? {
        val file = folder.file("$PACK$generation")
        if (!file.isFile) return null
        val reader = RandomAccessFile(file, "r")
        val id = handles.next()
        readers[id] = reader
        return OpenedPack(id, reader.length())
    }

    fun readPack(id: Long, offset: Long, length: Int): ByteArray {
        val reader = readers[id] ?: throw noSuch("pack")
        if (offset > reader.length() - length) throw messageInvalid("beyond the end of the pack")
        reader.seek(offset)
        return ByteArray(length).also { reader.readFully(it) }
    }

    fun closePack(id: Long) {
        readers.remove(id)?.close()
    }

    fun deletePack(generation: Long) = folder.delete("$PACK$generation")

    fun packs(): List<Long> = folder.names().mapNotNull { numberIn(it, PACK) }

    fun readPage(page: Long): ByteArray? = folder.read("$PAGE$page")

    fun writePage(page: Long, content: ByteArray) = folder.write("$PAGE$page", content)

    fun deletePage(page: Long) = folder.delete("$PAGE$page")

    fun pages(): List<Long> = folder.names().mapNotNull { numberIn(it, PAGE) }

    /** Deletes every pack and page, half-written ones too. @throws FailureCode.StorageFailed if one survives */
    fun erase() {
        close()
        packs().forEach(::deletePack)
        pages().forEach(::deletePage)
        if (packs().isNotEmpty() || pages().isNotEmpty()) {
            throw SvcException(FailureCode.StorageFailed, "a pack or page survived its deletion")
        }
    }

    fun eraseState() = folder.delete(STATE)

    /** Ends every upload and closes every reader: handles belong to one session of the page. */
    override fun close() {
        readers.values.forEach { it.close() }
        readers.clear()
        uploads.values.forEach { it.output.close() }
        uploads.clear()
        folder.deleteUnfinished()
    }
}
