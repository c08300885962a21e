package org.svc.device.internal

import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class Base64UrlTest {
    /** RFC 4648, section 10, without padding. */
    @Test
    fun `the RFC's examples`() {
        val texts = listOf("" to "", "f" to "Zg", "fo" to "Zm8", "foo" to "Zm9v", "foob" to "Zm9vYg")
        for ((plain, encoded) in texts) {
            assertEquals(encoded, toBase64Url(plain.toByteArray()))
            assertArrayEquals(plain.toByteArray(), fromBase64Url(encoded))
        }
        assertEquals("-_8", toBase64Url(hex("fbff")))
    }

    @Test
    fun `other texts are refused`() {
        for (text in listOf("Z", "Zg==", "Zh", "Zm9", "Zm 9v", "Z+9v", "Z/9v", "Zm9v\n", "Zgé", "ZmZ_Z")) {
            assertNull(text, fromBase64Url(text))
        }
    }
}
