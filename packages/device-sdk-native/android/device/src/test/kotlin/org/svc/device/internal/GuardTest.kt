package org.svc.device.internal

import java.io.File
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.svc.device.contract.FailureCode

class GuardTest {
    private val test = TestStore()
    private val info = ByteArray(1)

    init {
        test.keys.devicePublicKey()
        test.keep(1)
        test.keys.deriveFromAdmissionKey(info, info, 1)
        test.packs.commitPack(test.packs.beginPack(1))
        test.packs.writePage(1, info)
        test.packs.writeState(info)
    }

    private fun isErased() = test.again().run {
        keys.generations().isEmpty() && packs.packs().isEmpty() && packs.pages().isEmpty() && !keys.hasAdmissionKey()
    }

    @Test
    fun `at its time, after a start, keys and packs go, once`() {
        val mac = test.keys.mac(info)
        test.guard.set(1_000)
        assertFalse(test.again().guard.carryOut(999))
        assertFalse(isErased())
        assertTrue(test.again().guard.carryOut(1_000))
        assertTrue(isErased())
        assertFalse(test.again().guard.carryOut(2_000))
        assertArrayEquals(mac, test.again().keys.mac(info))
        assertTrue(test.again().keys.hasDeviceKey())
    }

    @Test
    fun `a page cannot use what it holds afterwards`() {
        val handle = test.keys.openStored(1) ?: 0
        val pack = test.packs.openPack(1)?.handle ?: 0
        test.guard.set(1)
        test.guard.carryOut(1)
        assertFails(FailureCode.MessageInvalid) { test.keys.listKeys(handle) }
        assertFails(FailureCode.MessageInvalid) { test.packs.readPack(pack, 0, 0) }
    }

    @Test
    fun `without a time, or with another, nothing goes`() {
        assertFalse(test.guard.carryOut(Long.MAX_VALUE))
        test.guard.set(1)
        test.guard.set(null)
        assertFalse(test.guard.carryOut(Long.MAX_VALUE))
        assertFalse(isErased())
    }

    @Test
    fun `a time that cannot be read has passed`() {
        File(test.folder, "guard").writeText("soon")
        assertTrue(test.guard.carryOut(0))
        assertTrue(isErased())
    }

    @Test
    fun `a key that survives keeps the time, and the next wake goes on`() {
        test.guard.set(1)
        test.box.refuseToDestroy = "list-keys-1"
        assertFails(FailureCode.StorageFailed) { test.guard.carryOut(1) }
        assertEquals(listOf(1L), test.packs.packs())
        test.box.refuseToDestroy = ""
        assertTrue(test.again().guard.carryOut(1))
        assertTrue(isErased())
    }
}
