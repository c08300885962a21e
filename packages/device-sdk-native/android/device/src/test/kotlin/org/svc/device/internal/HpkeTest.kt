package org.svc.device.internal

import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.interfaces.ECPrivateKey
import java.security.interfaces.ECPublicKey
import java.security.spec.ECPrivateKeySpec
import java.math.BigInteger
import javax.crypto.KeyAgreement
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

class HpkeTest {
    private fun agreeWith(privateKey: ByteArray): (ECPublicKey) -> ByteArray = { point ->
        val parameters = (P256.generate().public as ECPublicKey).params
        val spec = ECPrivateKeySpec(BigInteger(1, privateKey), parameters)
        KeyAgreement.getInstance("ECDH").run {
            init(KeyFactory.getInstance("EC").generatePrivate(spec) as ECPrivateKey)
            doPhase(point, true)
            generateSecret()
        }
    }

    /** RFC 5869, appendix A.1. */
    @Test
    fun `HKDF's first example`() {
        val salt = hex("000102030405060708090a0b0c")
        val output = Hkdf.derive(ByteArray(22) { 0x0b }, salt, hex("f0f1f2f3f4f5f6f7f8f9"), 42)
        val expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        assertArrayEquals(hex(expected), output)
    }

    /** RFC 5869, appendix A.3: no salt, no info. */
    @Test
    fun `HKDF without salt`() {
        val expected = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        assertArrayEquals(hex(expected), Hkdf.derive(ByteArray(22) { 0x0b }, ByteArray(0), ByteArray(0), 42))
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

    @Test
    fun `a sealed secret opens with its own key, info and ciphertext alone`() {
        val pair = P256.generate()
        val publicKey = P256.encode(pair.public as ECPublicKey)
        val privateKey = agreeWith((pair.private as ECPrivateKey).s.toByteArray())
        val secret = ByteArray(32) { it.toByte() }
        val sealed = seal(publicKey, secret, "info".toByteArray())
        assertArrayEquals(secret, Hpke.open(publicKey, sealed, privateKey))
        val other = P256.encode(P256.generate().public as ECPublicKey)
        val flipped = sealed.ciphertext.copyOf().also { it[0] = (it[0] + 1).toByte() }
        val wrong = listOf(
            publicKey to Sealed(sealed.enc, sealed.ciphertext, "other".toByteArray()),
            publicKey to Sealed(sealed.enc, flipped, sealed.info),
            publicKey to Sealed(sealed.enc, ByteArray(3), sealed.info),
            publicKey to Sealed(other, sealed.ciphertext, sealed.info),
            other to sealed,
        )
        for ((own, changed) in wrong) {
            assertThrows(GeneralSecurityException::class.java) { Hpke.open(own, changed, privateKey) }
        }
    }

    @Test
    fun `secrets are wiped after their use, also where it fails`() {
        val bytes = ByteArray(4) { 1 }
        assertThrows(IllegalStateException::class.java) { bytes.wiped { error("") } }
        assertEquals(0, bytes.sum())
    }
}
