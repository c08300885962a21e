package org.svc.device.internal

import java.security.interfaces.ECPublicKey
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import org.svc.device.contract.SealedSecret

private val version = "HPKE-v1".toByteArray()
private val kem = "KEM".toByteArray() + hex("0010")
private val suite = "HPKE".toByteArray() + hex("001000010002")
private val none = ByteArray(0)

private fun extract(suite: ByteArray, salt: ByteArray, label: String, keys: ByteArray) =
    Hkdf.extract(salt, version + suite + label.toByteArray() + keys)

private fun expand(suite: ByteArray, prk: ByteArray, label: String, info: ByteArray, length: Int) =
    Hkdf.expand(prk, byteArrayOf(0, length.toByte()) + version + suite + label.toByteArray() + info, length)

/** RFC 9180 base mode, as the service seals. */
internal fun seal(publicKey: ByteArray, secret: ByteArray, info: ByteArray): SealedSecret {
    val ephemeral = P256.generate()
    val enc = P256.encode(ephemeral.public as ECPublicKey)
    val dh = KeyAgreement.getInstance("ECDH").run {
        init(ephemeral.private)
        doPhase(P256.decode(publicKey), true)
        generateSecret()
    }
    val shared = expand(kem, extract(kem, none, "eae_prk", dh), "shared_secret", enc + publicKey, 32)
    val context = hex("00") + extract(suite, none, "psk_id_hash", none) + extract(suite, none, "info_hash", info)
    val root = extract(suite, shared, "secret", none)
    val cipher = Cipher.getInstance("AES/GCM/NoPadding")
    val key = SecretKeySpec(expand(suite, root, "key", context, 32), "AES")
    cipher.init(Cipher.ENCRYPT_MODE, key, GCMParameterSpec(128, expand(suite, root, "base_nonce", context, 12)))
    return SealedSecret(enc, cipher.doFinal(secret), info)
}
