package org.svc.device.internal

import java.io.File
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test
import org.svc.device.contract.FailureCode

class PackFilesTest {
    private val test = TestStore()
    private val packs = test.packs

    private fun write(generation: Long, vararg chunks: ByteArray) {
        val upload = packs.beginPack(generation)
        var offset = 0L
        for (chunk in chunks) {
            packs.appendPack(upload, offset, chunk)
            offset += chunk.size
        }
        packs.commitPack(upload)
    }

    @Test
    fun `a pack is written in chunks and read in ranges`() {
        write(4, byteArrayOf(1, 2, 3), byteArrayOf(4, 5))
        val (handle, length) = packs.openPack(4) ?: error("no pack")
        assertEquals(5L, length)
        assertArrayEquals(byteArrayOf(3, 4), packs.readPack(handle, 2, 2))
        assertArrayEquals(ByteArray(0), packs.readPack(handle, 5, 0))
        assertFails(FailureCode.MessageInvalid) { packs.readPack(handle, 4, 2) }
        assertFails(FailureCode.MessageInvalid) { packs.readPack(handle, LARGEST_INTEGER, MAX_CHUNK_BYTES) }
        packs.closePack(handle)
        assertFails(FailureCode.MessageInvalid) { packs.readPack(handle, 0, 1) }
        assertNull(packs.openPack(5))
    }

    @Test
    fun `an upload replaces the pack at its commit alone`() {
        write(1, byteArrayOf(1))
        val upload = packs.beginPack(1)
        packs.appendPack(upload, 0, byteArrayOf(2, 2))
        assertEquals(1L, packs.openPack(1)?.second)
        assertFails(FailureCode.MessageInvalid) { packs.appendPack(upload, 1, byteArrayOf(2)) }
        packs.commitPack(upload)
        assertEquals(2L, packs.openPack(1)?.second)
        assertFails(FailureCode.MessageInvalid) { packs.commitPack(upload) }
    }

    @Test
    fun `abandoned and interrupted uploads leave nothing`() {
        packs.abandonPack(packs.beginPack(1))
        packs.appendPack(packs.beginPack(2), 0, byteArrayOf(1))
        assertEquals(emptyList<Long>(), test.again().packs.packs())
        packs.close()
        assertEquals(0, File(test.folder, "packs").listFiles().orEmpty().size)
    }

    @Test
    fun `state and pages are replaced, listed and deleted`() {
        assertNull(packs.readState())
        packs.writeState(byteArrayOf(1))
        packs.writeState(byteArrayOf(2))
        assertArrayEquals(byteArrayOf(2), test.again().packs.readState())
        packs.writePage(9, byteArrayOf(3))
        assertEquals(listOf(9L), packs.pages())
        packs.deletePage(9)
        packs.deletePage(9)
        assertNull(packs.readPage(9))
    }

    @Test
    fun `an erasure takes packs, pages and uploads, not the state`() {
        write(1, byteArrayOf(1))
        packs.writePage(1, byteArrayOf(1))
        packs.writeState(byteArrayOf(1))
        val upload = packs.beginPack(2)
        packs.erase()
        assertEquals(listOf("state"), File(test.folder, "packs").list().orEmpty().toList())
        assertFails(FailureCode.MessageInvalid) { packs.commitPack(upload) }
    }
}
