package org.svc.device.internal

import java.io.File
import java.nio.file.Files
import java.security.ProviderException
import java.security.SecureRandom
import javax.crypto.Cipher
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.svc.device.SvcException
import org.svc.device.contract.CameraPermission
import org.svc.device.contract.FailureCode

internal fun temporaryFolder(): File = Files.createTempDirectory("svc-device").toFile().apply { deleteOnExit() }

internal fun assertFails(code: FailureCode, work: () -> Unit) {
    assertEquals(code, assertThrows(SvcException::class.java) { work() }.code)
}

/** Keys in memory, as AndroidKeyStore holds them. */
internal class MemoryBox : SecretBox {
    private val keys = HashMap<String, ByteArray>()
    var refuseToDestroy = ""

    override fun seal(name: String, secret: ByteArray): ByteArray {
        val key = keys.getOrPut(name) { ByteArray(32).also { SecureRandom().nextBytes(it) } }
        val cipher = Cipher.getInstance("AES/GCM/NoPadding")
        cipher.init(Cipher.ENCRYPT_MODE, SecretKeySpec(key, "AES"))
        return cipher.iv + cipher.doFinal(secret)
    }

    override fun open(name: String, sealed: ByteArray): ByteArray? {
        val key = keys[name] ?: return null
        val cipher = Cipher.getInstance("AES/GCM/NoPadding")
        cipher.init(Cipher.DECRYPT_MODE, SecretKeySpec(key, "AES"), GCMParameterSpec(128, sealed, 0, 12))
        return cipher.doFinal(sealed, 12, sealed.size - 12)
    }

    override fun destroy(name: String) {
        if (name == refuseToDestroy) throw ProviderException("the hardware refuses")
        keys.remove(name)
    }

    override fun names(): List<String> = keys.keys.toList()
}

/** A store in a folder; a second one over the same folder and box is the app started again. */
internal class TestStore(val folder: File = temporaryFolder(), val box: MemoryBox = MemoryBox()) {
    val sealed = SealedFiles(DurableFolder(File(folder, "keys")) {}, box)
    val deviceKey = WrappedDeviceKey(sealed)
    val keys = KeyVault(sealed, deviceKey)
    val packs = PackFiles(DurableFolder(File(folder, "packs")) {})
    val guard = Guard(DurableFolder(folder) {}, keys, packs)
    val store = DeviceStore(keys, packs, guard)
    val requests = PageRequests(store, Transfers()) { CameraPermission.Granted }

    fun again() = TestStore(folder, box)

    /** List keys of a generation, as if they had been opened and kept. @return their handle */
    fun keep(generation: Long, key: ByteArray = ByteArray(32) { 1 }, checkInSecret: ByteArray? = null): Long {
        sealed.write("list-keys-$generation", KeyVault.ListKeys(mapOf(1L to key), checkInSecret).encode())
        return keys.openStored(generation) ?: error("no list keys")
    }
}

internal fun vectors(name: String): JSONObject =
    JSONObject(File(System.getProperty("svc.contract"), "vectors/$name").readText())
