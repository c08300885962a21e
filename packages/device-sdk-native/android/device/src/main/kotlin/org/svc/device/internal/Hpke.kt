package org.svc.device.internal

import java.math.BigInteger
import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.KeyPair
import java.security.KeyPairGenerator
import java.security.interfaces.ECPublicKey
import java.security.spec.ECFieldFp
import java.security.spec.ECGenParameterSpec
import java.security.spec.ECParameterSpec
import java.security.spec.ECPoint
import java.security.spec.ECPublicKeySpec
import javax.crypto.Cipher
import javax.crypto.Mac
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import org.svc.device.contract.SealedSecret

internal const val POINT_BYTES = 65
private const val COORDINATE_BYTES = 32
private const val TAG_BITS = 128
private const val NONCE_BYTES = 12

/** P-256 points in the uncompressed form of SEC 1, section 2.3.3. */
internal object P256 {
    /** Of a pair that is thrown away: AlgorithmParameters knows EC from API 26 only. */
    private val parameters: ECParameterSpec by lazy { (generate().public as ECPublicKey).params }

    fun generate(): KeyPair =
        KeyPairGenerator.getInstance("EC").run {
            initialize(ECGenParameterSpec("secp256r1"))
            generateKeyPair()
        }

    fun encode(key: ECPublicKey): ByteArray {
        val point = ByteArray(POINT_BYTES)
        point[0] = 4
        coordinate(key.w.affineX).copyInto(point, 1)
        coordinate(key.w.affineY).copyInto(point, 1 + COORDINATE_BYTES)
        return point
    }

    /**
     * The point may come from anyone. It must be on the curve: agreement with another curve's point reveals bits of the
     * private key, and not every provider checks it.
     */
    fun decode(bytes: ByteArray): ECPublicKey {
        if (bytes.size != POINT_BYTES || bytes[0].toInt() != 4) throw GeneralSecurityException("not a point")
        val x = BigInteger(1, bytes.copyOfRange(1, 1 + COORDINATE_BYTES))
        val y = BigInteger(1, bytes.copyOfRange(1 + COORDINATE_BYTES, POINT_BYTES))
        val curve = parameters.curve
        val p = (curve.field as ECFieldFp).p
        val right = x.pow(3).add(curve.a.multiply(x)).add(curve.b).mod(p)
        if (x >= p || y >= p || y.pow(2).mod(p) != right) throw GeneralSecurityException("not on the curve")
        return KeyFactory.getInstance("EC").generatePublic(ECPublicKeySpec(ECPoint(x, y), parameters)) as ECPublicKey
    }

    private fun coordinate(value: BigInteger): ByteArray {
        val bytes = value.toByteArray()
        val digits = minOf(bytes.size, COORDINATE_BYTES)
        return ByteArray(COORDINATE_BYTES).also { bytes.copyInto(it, it.size - digits, bytes.size - digits) }
    }
}

/**
 * Opening in base mode of RFC 9180: DHKEM(P-256, HKDF-SHA256) 0x0010, HKDF-SHA256 0x0001, AES-256-GCM 0x0002, empty
 * aad, the first message of its context.
 */
internal object Hpke {
    private val VERSION = "HPKE-v1".toByteArray()
    private val KEM_SUITE = "KEM".toByteArray() + byteArrayOf(0, 0x10)
    private val SUITE = "HPKE".toByteArray() + byteArrayOf(0, 0x10, 0, 1, 0, 2)
    private val NONE = ByteArray(0)
    private const val MODE_BASE: Byte = 0

    /**
     * [agree] gives the x-coordinate of the product of the private key and a point, and may live in secure hardware.
     * @return the plaintext, which the caller wipes
     * @throws GeneralSecurityException for every way in which it does not open
     */
    fun open(publicKey: ByteArray, sealed: SealedSecret, agree: (ECPublicKey) -> ByteArray): ByteArray =
        agree(P256.decode(sealed.enc)).wiped { dh ->
            // Providers throw different errors for a ciphertext without a whole tag.
            if (sealed.ciphertext.size * 8 < TAG_BITS) throw GeneralSecurityException("no tag")
            if (dh.size != COORDINATE_BYTES) throw GeneralSecurityException("not a coordinate")
            sharedSecret(dh, sealed.enc + publicKey).wiped { openWith(it, sealed) }
        }

    /** Section 4.1, ExtractAndExpand. */
    private fun sharedSecret(dh: ByteArray, kemContext: ByteArray): ByteArray =
        labeledExtract(KEM_SUITE, NONE, "eae_prk", dh).wiped {
            labeledExpand(KEM_SUITE, it, "shared_secret", kemContext, HASH_BYTES)
        }

    /** Section 5.1, KeySchedule, and section 5.2, Open with sequence number 0. */
    private fun openWith(sharedSecret: ByteArray, sealed: SealedSecret): ByteArray {
        val context = byteArrayOf(MODE_BASE) +
            labeledExtract(SUITE, NONE, "psk_id_hash", NONE) +
            labeledExtract(SUITE, NONE, "info_hash", sealed.info)
        return labeledExtract(SUITE, sharedSecret, "secret", NONE).wiped { secret ->
            val nonce = labeledExpand(SUITE, secret, "base_nonce", context, NONCE_BYTES)
            labeledExpand(SUITE, secret, "key", context, HASH_BYTES).wiped { key ->
                val cipher = Cipher.getInstance("AES/GCM/NoPadding")
                cipher.init(Cipher.DECRYPT_MODE, SecretKeySpec(key, "AES"), GCMParameterSpec(TAG_BITS, nonce))
                cipher.doFinal(sealed.ciphertext)
            }
        }
    }

    private fun labeledExtract(suite: ByteArray, salt: ByteArray, label: String, keyMaterial: ByteArray): ByteArray =
        Hkdf.extract(salt, VERSION, suite, label.toByteArray(), keyMaterial)

    private fun labeledExpand(suite: ByteArray, prk: ByteArray, label: String, info: ByteArray, bytes: Int): ByteArray {
        val length = byteArrayOf((bytes ushr 8).toByte(), bytes.toByte())
        return Hkdf.expand(prk, length + VERSION + suite + label.toByteArray() + info, bytes)
    }
}

internal const val HASH_BYTES = 32
private const val HMAC = "HmacSHA256"

internal fun ByteArray.wipe() = fill(0)

/** Runs [use] and wipes the bytes, however it ends. The copies that the platform's own classes make cannot be wiped. */
internal inline fun <T> ByteArray.wiped(use: (ByteArray) -> T): T =
    try {
        use(this)
    } finally {
        wipe()
    }

/** HMAC-SHA-256 (RFC 2104) of the parts one after another. */
internal fun hmacSha256(key: ByteArray, vararg parts: ByteArray): ByteArray {
    val mac = Mac.getInstance(HMAC)
    // SecretKeySpec refuses an empty key; HMAC pads keys with zeros, so a block of zeros is the same key.
    mac.init(SecretKeySpec(if (key.isEmpty()) ByteArray(HASH_BYTES) else key, HMAC))
    for (part in parts) mac.update(part)
    return mac.doFinal()
}

internal object Hkdf {
    /** HKDF-Extract (RFC 5869, section 2.2). */
    fun extract(salt: ByteArray, vararg keyMaterial: ByteArray): ByteArray = hmacSha256(salt, *keyMaterial)

    /** HKDF-Expand (RFC 5869, section 2.3). [length]: at most 255 blocks. */
    fun expand(prk: ByteArray, info: ByteArray, length: Int): ByteArray {
        require(length in 0..255 * HASH_BYTES) { "HKDF gives at most 255 blocks" }
        val output = ByteArray(length)
        var block = ByteArray(0)
        var at = 0
        var counter = 1
        while (at < length) {
            val previous = block
            block = hmacSha256(prk, previous, info, byteArrayOf(counter++.toByte()))
            previous.wipe()
            val taken = minOf(block.size, length - at)
            block.copyInto(output, at, 0, taken)
            at += taken
        }
        block.wipe()
        return output
    }

    fun derive(key: ByteArray, salt: ByteArray, info: ByteArray, length: Int): ByteArray =
        extract(salt, key).wiped { expand(it, info, length) }
}
