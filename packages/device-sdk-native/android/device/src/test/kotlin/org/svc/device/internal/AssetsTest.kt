package org.svc.device.internal

import java.io.ByteArrayInputStream
import java.io.FileNotFoundException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

class AssetsTest {
    private val assets = Assets(
        """{"format":1,"files":[
            {"path":"index.html","headers":{
                "content-type":"text/html; charset=utf-8","content-security-policy":"script-src 'self'"}},
            {"path":"core/core.wasm","headers":{"content-type":"application/wasm"}},
            {"path":"engine-worker.js","headers":{
                "content-type":"text/javascript; charset=utf-8",
                "content-security-policy":"script-src 'wasm-unsafe-eval'"}},
            {"path":"models/a.network","headers":{}},
            {"path":"lost.js","headers":{}}]}""",
    ) { if (it == "lost.js") throw FileNotFoundException() else ByteArrayInputStream(it.toByteArray()) }

    @Test
    fun `listed files have their types and policies`() {
        val page = assets.answer("GET", PAGE_URL)
        assertEquals(200, page.status)
        assertEquals("text/html", page.mediaType)
        assertEquals("utf-8", page.charset)
        assertEquals("script-src 'self'", page.headers["content-security-policy"])
        assertEquals("index.html", String(page.content.readBytes()))
        val wasm = assets.answer("GET", "$PAGE_ORIGIN/core/core.wasm")
        assertEquals("application/wasm", wasm.mediaType)
        assertNull(wasm.charset)
        val worker = assets.answer("GET", "$PAGE_ORIGIN/engine-worker.js?v=1")
        assertEquals("text/javascript", worker.mediaType)
        assertEquals("nosniff", worker.headers["x-content-type-options"])
        assertEquals("application/octet-stream", assets.answer("GET", "$PAGE_ORIGIN/models/a.network").mediaType)
    }

    @Test
    fun `WebAssembly compiles in a WebView that knows only unsafe-eval`() {
        for ((chrome, allowed) in mapOf(null to "'wasm-unsafe-eval'", 97 to "'wasm-unsafe-eval'", 96 to "'unsafe-eval'")) {
            val worker = assets.answer("GET", "$PAGE_ORIGIN/engine-worker.js", chrome)
            assertEquals("script-src $allowed", worker.headers["content-security-policy"])
        }
    }

    @Test
    fun `all else is refused`() {
        val statuses = mapOf(
            "$PAGE_ORIGIN/" to 404,
            "$PAGE_ORIGIN/lost.js" to 404,
            "$PAGE_ORIGIN/../index.html" to 404,
            "$PAGE_ORIGIN/core/../index.html" to 404,
            "$PAGE_ORIGIN/index%2ehtml" to 404,
            "$PAGE_ORIGIN:444/index.html" to 403,
            "https://svc-device.invalid.example/index.html" to 403,
            "http://svc-device.invalid/index.html" to 403,
            "https://example.com/" to 403,
            "file:///etc/hosts" to 403,
        )
        for ((url, status) in statuses) {
            val answer = assets.answer("GET", url)
            assertEquals(url, status, answer.status)
            assertEquals(0, answer.content.readBytes().size)
        }
        assertEquals(405, assets.answer("POST", PAGE_URL).status)
    }

    @Test
    fun `the version of Chrome`() {
        val agent = "Mozilla/5.0 (Linux; Android 7.0; X; wv) AppleWebKit/537.36 (KHTML) Version/4.0 Chrome/%s"
        assertEquals(51, chromeVersionOf(agent.format("51.0.2704.90 Mobile Safari/537.36")))
        assertEquals(119, chromeVersionOf(agent.format("119.0.6045.193 Mobile Safari/537.36")))
        assertNull(chromeVersionOf("another"))
    }
}
