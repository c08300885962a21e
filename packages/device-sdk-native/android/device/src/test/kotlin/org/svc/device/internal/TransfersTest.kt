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
import org.svc.device.contract.HttpMethod
import org.svc.device.contract.TransportBeginRequest

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

    private fun begin(
        id: Long,
        url: String,
        method: HttpMethod = HttpMethod.Get,
        headers: Map<String, String> = emptyMap(),
        body: ByteArray? = null,
    ) = transfers.begin(TransportBeginRequest(id, method, url, headers, body))

    @After
    fun stop() {
        server.stop(0)
        threads.shutdownNow()
    }

    @Test
    fun `a body comes in chunks, and its transfer ends with it`() {
        val answer = begin(1, "$address/large", headers = mapOf("x-own" to "1"))
        assertEquals(200L, answer.status)
        assertEquals("application/octet-stream", answer.mediaType)
        assertEquals(large.size.toLong(), answer.contentLength)
        // The platform's own names the phone's model and build.
        assertEquals(listOf("svc-device"), seen["User-agent"])
        val first = transfers.read(1)
        assertFalse(first.done)
        val last = transfers.read(1)
        assertTrue(last.done)
        assertArrayEquals(large, first.chunk + last.chunk)
        assertFails(FailureCode.MessageInvalid) { transfers.read(1) }
        assertEquals(listOf("1"), seen["X-own"])
        assertNull(seen["Cookie"])
    }

    @Test
    fun `redirects are not followed, and any status is an answer`() {
        assertEquals(302L, begin(1, "$address/moved").status)
        val refused = begin(2, "$address/echo", HttpMethod.Post, body = byteArrayOf(7))
        assertEquals(401L, refused.status)
        assertNull(refused.contentLength)
        assertArrayEquals(byteArrayOf(7), transfers.read(2).chunk)
    }

    @Test
    fun `a body comes with POST alone, a number is used once, an address is one`() {
        val url = "$address/echo"
        assertFails(FailureCode.MessageInvalid) { begin(1, url, body = ByteArray(1)) }
        assertFails(FailureCode.MessageInvalid) { begin(1, url, HttpMethod.Post) }
        assertFails(FailureCode.MessageInvalid) { begin(1, "https://a:9999999999/") }
        begin(5, url)
        assertFails(FailureCode.MessageInvalid) { begin(5, url) }
        // Its cancellation overtook it.
        transfers.cancel(9)
        assertFails(FailureCode.MessageInvalid) { begin(9, url) }
    }

    @Test
    fun `nobody there is offline`() {
        stop()
        assertFails(FailureCode.Offline) { begin(1, "$address/large") }
    }

    @Test(timeout = 60_000)
    fun `a waiting transfer is cancelled from another thread`() {
        var code: FailureCode? = null
        val waiting = thread {
            code = try {
                begin(1, "$address/slow").let { null }
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
