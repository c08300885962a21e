package org.svc.device.internal

import java.io.ByteArrayInputStream
import java.io.IOException
import java.io.InputStream
import org.json.JSONObject

/** The page's origin: never resolved, every request to it is answered from the app's own assets. */
internal const val PAGE_ORIGIN = "https://svc-device.invalid"
internal const val PAGE_URL = "$PAGE_ORIGIN/index.html"
internal const val ASSET_MANIFEST = "assets.json"

private val HEADERS = mapOf(
    "content-type" to "application/octet-stream",
    "x-content-type-options" to "nosniff",
    "referrer-policy" to "no-referrer",
    "cross-origin-opener-policy" to "same-origin",
    "cross-origin-embedder-policy" to "require-corp",
    "cross-origin-resource-policy" to "same-origin",
    "cache-control" to "no-store",
)

/** What the page gets for a request; a refusal has no content. */
internal class AssetAnswer(
    val status: Int,
    val mediaType: String,
    val charset: String?,
    val headers: Map<String, String>,
    val content: InputStream,
)

/**
 * Answers every request of the page: files that the manifest of the assets folder lists, with the headers that it
 * names, by lower-case name; all else is refused. Nothing reaches a network.
 * @param openFile opens a file of the folder by its path in the manifest
 */
internal class Assets(manifest: String, private val openFile: (String) -> InputStream) {
    private val headers = HashMap<String, Map<String, String>>().apply {
        put(ASSET_MANIFEST, HEADERS + ("content-type" to "application/json"))
        val files = JSONObject(manifest).getJSONArray("files")
        for (i in 0 until files.length()) {
            val file = files.getJSONObject(i)
            val own = file.getJSONObject("headers")
            put(file.getString("path"), HEADERS + own.keys().asSequence().associateWith(own::getString))
        }
    }

    /** @param chrome version of the WebView: before 97 it compiles WebAssembly only with `unsafe-eval` */
    fun answer(method: String, url: String, chrome: Int? = null): AssetAnswer {
        val isOwn = url.startsWith("$PAGE_ORIGIN/")
        val path = if (isOwn) url.substring(PAGE_ORIGIN.length + 1).substringBefore('?') else null
        val own = headers[path] ?: return refusal(if (path == null) FORBIDDEN else NOT_FOUND)
        if (method != "GET") return refusal(METHOD_NOT_ALLOWED)
        val content = try {
            openFile(path.orEmpty())
        } catch (_: IOException) {
            return refusal(NOT_FOUND)
        }
        val type = own.getValue("content-type")
        return AssetAnswer(
            status = OK,
            mediaType = type.substringBefore(';').trim(),
            charset = type.substringAfter("charset=", "").ifEmpty { null },
            headers = if (chrome != null && chrome < KNOWS_WASM_UNSAFE_EVAL) forOlder(own) else own,
            content = content,
        )
    }

    private fun forOlder(own: Map<String, String>) =
        own.mapValues { (_, value) -> value.replace("'wasm-unsafe-eval'", "'unsafe-eval'") }

    private fun refusal(status: Int) = AssetAnswer(status, "text/plain", "utf-8", emptyMap(), NOTHING)

    private companion object {
        val NOTHING: InputStream get() = ByteArrayInputStream(ByteArray(0))
        const val KNOWS_WASM_UNSAFE_EVAL = 97
        const val OK = 200
        const val FORBIDDEN = 403
        const val NOT_FOUND = 404
        const val METHOD_NOT_ALLOWED = 405
    }
}

/** The version of Chrome that a WebView's user agent names; null if it names none. */
internal fun chromeVersionOf(userAgent: String): Int? =
    Regex(" Chrome/([0-9]+)\\.").find(userAgent)?.groupValues?.get(1)?.toIntOrNull()
