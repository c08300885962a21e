package org.svc.device.internal

import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import org.svc.device.contract.FailureCode

class MessageTest {
    private val session = "A".repeat(22)
    private val other = "B".repeat(21) + "A"

    private fun read(text: String, own: String? = session) = readMessage(text, own, 5, ContractSchema.own)

    private fun message(
        kind: String = "request",
        id: String = "6",
        name: String = "packStore.readState",
        body: String = "{}",
    ) =
        """{"v":1,"session":"$session","kind":"$kind","id":$id,"name":"$name","body":$body,"later":[]}"""

    private fun refusal(text: String) = (read(text) as Reading.Refused).code

    @Test
    fun `requests that cannot be carried out are refused`() {
        assertEquals(FailureCode.MessageInvalid, refusal(message(id = "5")))
        assertEquals(FailureCode.MessageInvalid, refusal(message(body = "[]")))
        assertEquals(FailureCode.UnknownName, refusal(message(name = "keyStore.other", body = "1")))
        assertEquals(FailureCode.VersionUnsupported, refusal(message(id = "1").replace("\"v\":1", "\"v\":2")))
    }

    @Test
    fun `all else is dropped`() {
        val deep = "[".repeat(16) + "]".repeat(16)
        val texts = listOf(
            "", "{", "[]", "null", message() + "x", message(kind = "reply"), message(name = "Key"),
            message(id = "0"), message(id = "1.5"), message(id = "\"6\""), message(id = "9007199254740992"),
            message("answer", id = "null"), message("answer").replace("\"v\":1", "\"v\":2"),
            message("event", body = "1"),
            message(body = deep), message().replace(session, "A".repeat(21) + "B"), message().replace(session, other),
            message(body = "{\"a\":\"${"x".repeat(MAX_MESSAGE_BYTES)}\"}"),
            message(body = "{\"a\":\"${"é".repeat(MAX_MESSAGE_BYTES / 2)}\"}"),
        )
        for (text in texts) assertTrue(text.take(200), read(text) is Reading.Dropped)
        assertTrue(read(message(), own = null) is Reading.Dropped)
    }

    @Test
    fun `hello opens a session, and depth within brackets of a text does not count`() {
        val hello = message("event", name = "hello", body = """{"minor":0,"sdkVersion":"1","session":"$session"}""")
        assertTrue(read(hello.replace(session, other)) is Reading.Accepted)
        assertTrue(read(message(body = "{\"a\":\"${"[".repeat(99)}\\\"[\"}")) is Reading.Accepted)
    }

    @Test
    fun `bytes of UTF-8 are counted as they are written`() {
        for (text in listOf("", "a", "é", "€", "😀", "a😀é")) assertEquals(text.toByteArray().size, utf8Length(text))
    }
}
