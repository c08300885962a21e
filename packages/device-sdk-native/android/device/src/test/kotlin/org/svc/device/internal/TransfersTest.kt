package org.svc.device.internal

import com.sun.net.httpserver.HttpServer
import java.net.InetSocketAddress
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import kotlin.concurrent.thread
import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Test
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode

class TransfersTest {
    private val started = CountDownLatch(1)
    private val threads = Executors.newCachedThreadPool()
    private val large = ByteArray(MAX_CHUNK_BYTES + 5) { it.toByte() }
    private var seen: Map<String, List<String>> = emptyMap()
    private val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0).apply {
        executor = threads
        createContext("/large") { exchange ->
            seen = exchange.requestHeaders
            exchange.responseHeaders.add("content-type", "Application/Octet-Stream; x=y")
            exchange.sendResponseHeaders(200, large.size.toLong())
            exchange.responseBody.use { it.write(large) }
        }
        createContext("/moved") { exchange ->
            exchange.responseHeaders.add("location", "/large")
            exchange.sendResponseHeaders(302, -1)
        }
        createContext("/echo") { exchange ->
            val body = exchange.requestBody.readBytes()
            exchange.sendResponseHeaders(401, 0)
            exchange.responseBody.use { it.write(body) }
        }
        createContext("/slow") { started.countDown() }
        start()
    }
    private val address = "http://127.0.0.1:${server.address.port}"
    private val transfers = Transfers()

    @After
    fun stop() {
        server.stop(0)
        threads.shutdownNow()
    }

    @Test
    fun `a body comes in chunks, and its transfer ends with it`() {
        val answer = transfers.begin(1, "GET", "$address/large", mapOf("x-own" to "1"), null)
        assertEquals(200, answer.status)
        assertEquals("application/octet-stream", answer.mediaType)
        assertEquals(large.size.toLong(), answer.contentLength)
        // The platform's own names the phone's model and build.
        assertEquals(listOf("svc-device"), seen["User-agent"])
        val first = transfers.read(1)
        assertFalse(first.done)
        val last = transfers.read(1)
        assertTrue(last.done)
        assertArrayEquals(large, first.bytes + last.bytes)
        assertFails(FailureCode.MessageInvalid) { transfers.read(1) }
        assertEquals(listOf("1"), seen["X-own"])
        assertNull(seen["Cookie"])
    }

    @Test
    fun `redirects are not followed, and any status is an answer`() {
        assertEquals(302, transfers.begin(1, "GET", "$address/moved", emptyMap(), null).status)
        val refused = transfers.begin(2, "POST", "$address/echo", emptyMap(), byteArrayOf(7))
        assertEquals(401, refused.status)
        assertNull(refused.contentLength)
        assertArrayEquals(byteArrayOf(7), transfers.read(2).bytes)
    }

    @Test
    fun `a body comes with POST alone, a number is used once, an address is one`() {
        val url = "$address/echo"
        assertFails(FailureCode.MessageInvalid) { transfers.begin(1, "GET", url, emptyMap(), ByteArray(1)) }
        assertFails(FailureCode.MessageInvalid) { transfers.begin(1, "POST", url, emptyMap(), null) }
        assertFails(FailureCode.MessageInvalid) { transfers.begin(1, "GET", "https://a:9999999999/", emptyMap(), null) }
        transfers.begin(5, "GET", url, emptyMap(), null)
        assertFails(FailureCode.MessageInvalid) { transfers.begin(5, "GET", url, emptyMap(), null) }
        // Its cancellation overtook it.
        transfers.cancel(9)
        assertFails(FailureCode.MessageInvalid) { transfers.begin(9, "GET", url, emptyMap(), null) }
    }

    @Test
    fun `nobody there is offline`() {
        stop()
        assertFails(FailureCode.Offline) { transfers.begin(1, "GET", "$address/large", emptyMap(), null) }
    }

    @Test(timeout = 60_000)
    fun `a waiting transfer is cancelled from another thread`() {
        var code: FailureCode? = null
        val waiting = thread {
            code = try {
                transfers.begin(1, "GET", "$address/slow", emptyMap(), null).let { null }
            } catch (error: SvcException) {
                error.code
            }
        }
        started.await()
        transfers.cancel(1)
        transfers.cancel(1)
        waiting.join()
        assertEquals(FailureCode.Cancelled, code)
    }
}
