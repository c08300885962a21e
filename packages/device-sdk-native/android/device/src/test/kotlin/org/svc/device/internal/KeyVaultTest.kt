package org.svc.device.internal

import java.io.File
import java.security.GeneralSecurityException
import java.security.interfaces.ECPublicKey
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Test
import org.svc.device.contract.FailureCode

class KeyVaultTest {
    private val test = TestStore()
    private val keys = test.keys
    private val info = "info".toByteArray()

    @Test
    fun `released keys are wiped and gone`() {
        val handle = test.keep(1)
        val key = keys.listKeys(handle).ofEpoch(1)
        keys.release(handle)
        assertEquals(0, key?.sum())
        assertFails(FailureCode.MessageInvalid) { keys.listKeys(handle) }
        assertFails(FailureCode.MessageInvalid) { keys.keepAs(handle, 1) }
    }

    @Test
    fun `no secret lies in a file in the clear`() {
        val (first, second) = listOf(ByteArray(32) { 1 }, ByteArray(32) { 2 })
        keys.devicePublicKey()
        keys.keepAs(test.keep(1, first, second), 2)
        keys.deriveFromAdmissionKey(info, info, 32)
        keys.mac(info)
        val files = File(test.folder, "keys").listFiles().orEmpty()
        assertTrue(files.size >= 5)
        for (file in files) {
            val text = toBase64Url(file.readBytes())
            for (secret in listOf(first, second)) {
                assertFalse(file.name, text.contains(toBase64Url(secret).drop(2).dropLast(2)))
            }
        }
    }

    @Test
    fun `a file whose key was destroyed counts as deleted`() {
        test.keep(1)
        test.box.destroy("list-keys-1")
        assertNull(keys.openStored(1))
        assertEquals(listOf(1L), keys.generations())
        keys.eraseListKeys()
        assertEquals(emptyList<Long>(), keys.generations())
    }

    @Test
    fun `a key that cannot be deleted does not save the others, and is told`() {
        for (generation in 1L..3L) test.keep(generation)
        test.box.refuseToDestroy = "list-keys-2"
        assertFails(FailureCode.StorageFailed) { keys.eraseListKeys() }
        assertEquals(listOf(2L), keys.generations())
    }

    @Test
    fun `secrets are wiped after their use, also where it fails`() {
        val bytes = ByteArray(4) { 1 }
        assertThrows(IllegalStateException::class.java) { bytes.wiped { error("") } }
        assertEquals(0, bytes.sum())
    }

    @Test
    fun `a point is on the curve, uncompressed and below the prime`() {
        val own = P256.encode(P256.generate().public as ECPublicKey)
        assertArrayEquals(own, P256.encode(P256.decode(own)))
        val off = own.copyOf().also { it[64] = (it[64] + 1).toByte() }
        val compressed = own.copyOf(33).also { it[0] = 2 }
        val large = byteArrayOf(4) + ByteArray(64) { -1 }
        for (point in listOf(off, compressed, large, ByteArray(65), own.copyOf(64), own + 0)) {
            assertThrows(GeneralSecurityException::class.java) { P256.decode(point) }
        }
    }
}
