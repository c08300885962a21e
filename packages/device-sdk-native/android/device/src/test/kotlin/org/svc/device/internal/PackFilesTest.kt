package org.svc.device.internal

import java.io.File
import org.junit.Assert.assertEquals
import org.junit.Test
import org.svc.device.contract.FailureCode

class PackFilesTest {
    private val test = TestStore()
    private val packs = test.packs

    @Test
    fun `abandoned and interrupted uploads leave nothing`() {
        packs.abandonPack(packs.beginPack(1))
        packs.appendPack(packs.beginPack(2), 0, byteArrayOf(1))
        assertEquals(emptyList<Long>(), test.again().packs.packs())
        packs.close()
        assertEquals(0, File(test.folder, "packs").listFiles().orEmpty().size)
    }

    @Test
    fun `an erasure takes packs, pages and uploads, not the state`() {
        packs.commitPack(packs.beginPack(1))
        packs.writePage(1, byteArrayOf(1))
        packs.writeState(byteArrayOf(1))
        val upload = packs.beginPack(2)
        packs.erase()
        assertEquals(listOf("state"), File(test.folder, "packs").list().orEmpty().toList())
        assertFails(FailureCode.MessageInvalid) { packs.commitPack(upload) }
    }
}
