package org.svc.device.internal.platform

import android.content.Context
import android.os.Build
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import java.security.GeneralSecurityException
import java.security.KeyPairGenerator
import java.security.KeyStore
import java.security.ProviderException
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec
import org.svc.device.internal.DeviceKey
import org.svc.device.internal.P256
import org.svc.device.internal.SecretBox

/** Android 9, with StrongBox. */
private const val API_28 = 28
/** Version of a feature of the phone: KeyMint, which came with Android 12, and whose keys agree. */
private const val KEYMINT = 100
private const val PROVIDER = "AndroidKeyStore"
private const val TRANSFORMATION = "AES/GCM/NoPadding"
private const val KEY_BITS = 256
private const val TAG_BITS = 128
private const val NONCE_BYTES = 12

private fun keyStore(): KeyStore = KeyStore.getInstance(PROVIDER).apply { load(null) }

/**
 * Makes a key in a secure element of its own (StrongBox, from API 28) where there is one, else in the trusted execution
 * environment.
 */
private fun <T> inStrongBoxIfThere(make: (strongBox: Boolean) -> T): T {
    if (Build.VERSION.SDK_INT < API_28) return make(false)
    return try {
        make(true)
    } catch (_: ProviderException) {
        // StrongBoxUnavailableException; some phones have a StrongBox that lacks the algorithm, and throw another.
        make(false)
    }
}

private fun KeyGenParameterSpec.Builder.strongBox(wanted: Boolean): KeyGenParameterSpec.Builder {
    if (wanted && Build.VERSION.SDK_INT >= API_28) setIsStrongBoxBacked(true)
    return this
}

/**
 * AES-256-GCM keys in AndroidKeyStore, one for each secret; they cannot be exported.
 * @param prefix of the aliases of this device
 */
internal class KeystoreBox(private val prefix: String) : SecretBox {
    override fun seal(name: String, secret: ByteArray): ByteArray {
        val cipher = Cipher.getInstance(TRANSFORMATION)
        // The provider draws the nonce: a key of AndroidKeyStore refuses a caller's.
        cipher.init(Cipher.ENCRYPT_MODE, existing(name) ?: make(name))
        cipher.updateAAD(name.toByteArray())
        val ciphertext = cipher.doFinal(secret)
        if (cipher.iv.size != NONCE_BYTES) throw GeneralSecurityException("another nonce than GCM's")
        return cipher.iv + ciphertext
    }

    override fun open(name: String, sealed: ByteArray): ByteArray? {
        val key = existing(name) ?: return null
        if (sealed.size < NONCE_BYTES) throw GeneralSecurityException("too short")
        val cipher = Cipher.getInstance(TRANSFORMATION)
        cipher.init(Cipher.DECRYPT_MODE, key, GCMParameterSpec(TAG_BITS, sealed, 0, NONCE_BYTES))
        cipher.updateAAD(name.toByteArray())
        return cipher.doFinal(sealed, NONCE_BYTES, sealed.size - NONCE_BYTES)
    }

    override fun destroy(name: String) {
        keyStore().run { if (containsAlias(prefix + name)) deleteEntry(prefix + name) }
    }

    override fun names(): List<String> =
        keyStore().aliases().toList().filter { it.startsWith(prefix) }.map { it.removePrefix(prefix) }

    private fun existing(name: String): SecretKey? = keyStore().getKey(prefix + name, null) as SecretKey?

    private fun make(name: String): SecretKey = inStrongBoxIfThere { strongBox ->
        val spec = KeyGenParameterSpec.Builder(
            prefix + name,
            KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT,
        )
            .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
            .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
            .setKeySize(KEY_BITS)
            .strongBox(strongBox)
            .build()
        KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, PROVIDER).run {
            init(spec)
            generateKey()
        }
    }
}

/**
 * A P-256 pair whose private key never leaves the hardware. For older hardware than KeyMint, as in phones that were
 * updated to Android 12, AndroidKeyStore makes such a key in software, which updates of the system have broken: see
 * [isPossible].
 */
internal class KeystoreDeviceKey(context: Context, private val alias: String) : DeviceKey {
    private val agreesInStrongBox = agrees(context, "android.hardware.strongbox_keystore")

    override fun exists(): Boolean = keyStore().containsAlias(alias)

    override fun publicKey(): ByteArray {
        if (!exists()) make()
        val certificate = keyStore().getCertificate(alias) ?: throw GeneralSecurityException("no device key")
        return P256.encode(certificate.publicKey as ECPublicKey)
    }

    override fun agree(point: ECPublicKey): ByteArray {
        val privateKey = keyStore().getKey(alias, null) ?: throw GeneralSecurityException("no device key")
        return KeyAgreement.getInstance("ECDH", PROVIDER).run {
            init(privateKey)
            doPhase(point, true)
            generateSecret()
        }
    }

    override fun delete() {
        keyStore().run { if (containsAlias(alias)) deleteEntry(alias) }
    }

    private fun make() = if (agreesInStrongBox) inStrongBoxIfThere(::makeIn) else makeIn(strongBox = false)

    private fun makeIn(strongBox: Boolean) {
        val spec = KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_AGREE_KEY)
            .setAlgorithmParameterSpec(ECGenParameterSpec("secp256r1"))
            .strongBox(strongBox)
            .build()
        KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, PROVIDER).run {
            initialize(spec)
            generateKeyPair()
        }
    }

    companion object {
        fun isPossible(context: Context): Boolean = agrees(context, "android.hardware.hardware_keystore")

        private fun agrees(context: Context, feature: String): Boolean =
            context.packageManager.systemAvailableFeatures.any { it.name == feature && it.version >= KEYMINT }
    }
}
