package org.svc.device.internal

import java.io.Closeable
import java.nio.ByteBuffer
import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.SecureRandom
import java.security.interfaces.ECPublicKey
import java.security.spec.PKCS8EncodedKeySpec
import javax.crypto.KeyAgreement
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode
import org.svc.device.contract.SealedSecret

internal const val LIST_KEY_BYTES = 32
private const val EPOCH_BYTES = 4
private const val ENTRY_BYTES = EPOCH_BYTES + LIST_KEY_BYTES

private const val LIST_KEYS = "list-keys-"
private const val ADMISSION_KEY = "admission-key"

/** Keys of the platform that encrypt secrets, one for each name, so that destroying a key ends its secret. */
internal interface SecretBox {
    /** Makes the key of [name] if there is none. */
    fun seal(name: String, secret: ByteArray): ByteArray

    /** Null if the key of [name] was destroyed. The caller wipes the result. */
    fun open(name: String, sealed: ByteArray): ByteArray?

    /** Idempotent. */
    fun destroy(name: String)

    /** Names that have a key. */
    fun names(): List<String>
}

/** The device's P-256 pair. */
internal interface DeviceKey {
    fun exists(): Boolean

    /** The uncompressed point. Makes the pair if there is none. */
    fun publicKey(): ByteArray

    /** The x-coordinate of the product with [point]; the caller wipes it. */
    fun agree(point: ECPublicKey): ByteArray

    /** Idempotent. */
    fun delete()
}

/** Secrets in files, each encrypted by its own key of the platform. */
internal class SealedFiles(private val folder: DurableFolder, private val box: SecretBox) {
    fun write(name: String, secret: ByteArray) = folder.write(name, box.seal(name, secret))

    /** Null if there is none, also after a deletion that was interrupted. The caller wipes it. */
    fun read(name: String): ByteArray? = folder.read(name)?.let { box.open(name, it) }

    fun exists(name: String): Boolean = name in folder.names()

    /** The key first: without it the file is unreadable, also where flash memory keeps an old copy of it. */
    fun delete(name: String) {
        box.destroy(name)
        folder.delete(name)
    }

    /** Also of files without a key and keys without a file, which an interrupted change leaves. */
    fun names(): Set<String> = folder.names().toSet() + box.names()
}

/** A pair made in this process; its private key lies encrypted, for platforms whose own keys cannot agree. */
internal class WrappedDeviceKey(private val files: SealedFiles) : DeviceKey {
    override fun exists(): Boolean = files.exists(PRIVATE) && files.exists(PUBLIC)

    override fun publicKey(): ByteArray {
        if (!exists()) {
            val pair = P256.generate()
            pair.private.encoded.wiped { files.write(PRIVATE, it) }
            // Written last: without it there is no pair.
            files.write(PUBLIC, P256.encode(pair.public as ECPublicKey))
        }
        return files.read(PUBLIC) ?: throw SvcException(FailureCode.StorageFailed, "the device key is gone")
    }

    override fun agree(point: ECPublicKey): ByteArray {
        val encoded = files.read(PRIVATE) ?: throw GeneralSecurityException("no device key")
        val privateKey = encoded.wiped { KeyFactory.getInstance("EC").generatePrivate(PKCS8EncodedKeySpec(it)) }
        return KeyAgreement.getInstance("ECDH").run {
            init(privateKey)
            doPhase(point, true)
            generateSecret()
        }
    }

    override fun delete() {
        files.delete(PUBLIC)
        files.delete(PRIVATE)
    }

    private companion object {
        const val PRIVATE = "device-key-private"
        const val PUBLIC = "device-key-public"
    }
}

/** The key store of the contract. List keys and secrets never leave it; used by one thread. */
internal class KeyVault(
    private val files: SealedFiles,
    private val deviceKey: DeviceKey,
    private val random: SecureRandom = SecureRandom(),
) : Closeable {
    /** The secrets of a generation: 32 bytes each. */
    class ListKeys(private val keys: Map<Long, ByteArray>, val checkInSecret: ByteArray?) {
        val epochs: List<Long> get() = keys.keys.toList()

        fun ofEpoch(epoch: Long): ByteArray? = keys[epoch]

        /** A byte that tells whether there is a check-in secret, the secret, then each epoch (4 bytes) with its key. */
        fun encode(): ByteArray {
            val secretBytes = checkInSecret?.size ?: 0
            val bytes = ByteBuffer.allocate(1 + secretBytes + keys.size * ENTRY_BYTES)
            bytes.put(if (checkInSecret == null) 0 else 1)
            checkInSecret?.let(bytes::put)
            for ((epoch, key) in keys) bytes.putInt(epoch.toInt()).put(key)
            return bytes.array()
        }

        fun wipe() {
            keys.values.forEach { it.wipe() }
            checkInSecret?.wipe()
        }

        companion object {
            fun decode(encoded: ByteArray): ListKeys {
                val bytes = ByteBuffer.wrap(encoded)
                val secret = if (bytes.get().toInt() == 0) null else ByteArray(LIST_KEY_BYTES).also { bytes.get(it) }
                val keys = LinkedHashMap<Long, ByteArray>()
                while (bytes.hasRemaining()) {
                    val epoch = bytes.getInt().toLong() and 0xffff_ffffL
                    keys[epoch] = ByteArray(LIST_KEY_BYTES).also { bytes.get(it) }
                }
                return ListKeys(keys, secret)
            }
        }
    }

    private val handles = Handles()
    private val held = HashMap<Long, ListKeys>()

    fun devicePublicKey(): ByteArray = deviceKey.publicKey()

    fun hasDeviceKey(): Boolean = deviceKey.exists()

    fun deleteDeviceKey() = deviceKey.delete()

    fun mac(message: ByteArray): ByteArray = keyOf(MAC_KEY).wiped { hmacSha256(it, message) }

    /** Opens all of them or none. @return a handle @throws FailureCode.OpenFailed */
    fun openListKeys(epochs: Map<Long, SealedSecret>, checkInSecret: SealedSecret?): Long {
        val opened = LinkedHashMap<Long, ByteArray>()
        try {
            if (!deviceKey.exists()) throw GeneralSecurityException("no device key")
            val publicKey = deviceKey.publicKey()
            for ((epoch, sealed) in epochs) opened[epoch] = openSecret(publicKey, sealed)
            return hold(ListKeys(opened, checkInSecret?.let { openSecret(publicKey, it) }))
        } catch (error: Exception) {
            opened.values.forEach { it.wipe() }
            if (error !is GeneralSecurityException) throw error
            throw SvcException(FailureCode.OpenFailed, "the sealed key does not open")
        }
    }

    private fun openSecret(publicKey: ByteArray, sealed: SealedSecret): ByteArray {
        val secret = Hpke.open(publicKey, sealed, deviceKey::agree)
        if (secret.size == LIST_KEY_BYTES) return secret
        secret.wipe()
        throw GeneralSecurityException("not a list key")
    }

    /** A handle; null if the generation has no keys. */
    fun openStored(generation: Long): Long? =
        files.read("$LIST_KEYS$generation")?.wiped { hold(ListKeys.decode(it)) }

    fun listKeys(handle: Long): ListKeys = held[handle] ?: throw noSuch("list keys")

    fun keepAs(handle: Long, generation: Long) =
        listKeys(handle).encode().wiped { files.write("$LIST_KEYS$generation", it) }

    fun release(handle: Long) {
        held.remove(handle)?.wipe()
    }

    fun deleteListKeys(generation: Long) = files.delete("$LIST_KEYS$generation")

    fun generations(): List<Long> = files.names().mapNotNull { numberIn(it, LIST_KEYS) }

    fun deriveFromAdmissionKey(salt: ByteArray, info: ByteArray, length: Int): ByteArray =
        keyOf(ADMISSION_KEY).wiped { Hkdf.derive(it, salt, info, length) }

    fun hasAdmissionKey(): Boolean = files.exists(ADMISSION_KEY)

    fun deleteAdmissionKey() = files.delete(ADMISSION_KEY)

    /**
     * Deletes every list key and the key of the log of admissions. A key that cannot be deleted does not save others.
     * @throws FailureCode.StorageFailed if one survives
     */
    fun eraseListKeys() {
        close()
        var failed = runCatching { deleteAdmissionKey() }.isFailure
        for (generation in generations()) failed = runCatching { deleteListKeys(generation) }.isFailure || failed
        if (failed || generations().isNotEmpty() || hasAdmissionKey()) {
            throw SvcException(FailureCode.StorageFailed, "a key survived its deletion")
        }
    }

    /** The device's own keys, for a device that is to be forgotten. */
    fun eraseOwnKeys() {
        deviceKey.delete()
        files.delete(MAC_KEY)
    }

    /** Wipes the copies in memory: handles belong to one session of the page. */
    override fun close() {
        held.values.forEach { it.wipe() }
        held.clear()
    }

    private fun hold(keys: ListKeys): Long = handles.next().also { held[it] = keys }

    /** 32 random bytes, made at the first use. The caller wipes the copy. */
    private fun keyOf(name: String): ByteArray =
        files.read(name) ?: ByteArray(HASH_BYTES).also {
            random.nextBytes(it)
            files.write(name, it)
        }

    private companion object {
        const val MAC_KEY = "mac-key"
    }
}
