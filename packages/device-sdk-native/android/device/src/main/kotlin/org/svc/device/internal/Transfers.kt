package org.svc.device.internal

import java.io.ByteArrayInputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.MalformedURLException
import java.net.URL
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap
import org.svc.device.SvcException
import org.svc.device.contract.*

private const val CONNECT_TIMEOUT_MS = 15_000
private const val READ_TIMEOUT_MS = 60_000

private const val USER_AGENT = "svc-device"

/**
 * HTTP requests of the page, whose addresses and headers the contract's type has checked: no redirects, no cache. The
 * functions block; [cancel] ends a blocked one from another thread. Cookies are the app's own matter: HttpURLConnection
 * uses `CookieHandler.getDefault()`, which is null unless the app sets one.
 */
internal class Transfers {
    private class Transfer(val connection: HttpURLConnection) {
        var body: InputStream? = null

        @Volatile var cancelled = false
    }

    private val transfers = ConcurrentHashMap<Long, Transfer>()
    private val used = HashSet<Long>()

    /** @throws FailureCode.Offline without an answer */
    fun begin(request: TransportBeginRequest): TransportBeginAnswer {
        val (id, method, url, headers, body) = request
        if ((method == HttpMethod.Post) != (body != null)) throw messageInvalid("a body comes with POST alone")
        val transfer = Transfer(open(url))
        synchronized(used) {
            // Also one that was cancelled before it began: requests of transfers overtake each other.
            if (!used.add(id)) throw messageInvalid("a transfer's number was used")
            transfers[id] = transfer
        }
        return answering(id, transfer) {
            transfer.connection.run {
                requestMethod = method.value
                // The platform would unpack gzip and hide the length, and name the phone's model and build.
                setRequestProperty("accept-encoding", "identity")
                setRequestProperty("user-agent", USER_AGENT)
                for ((name, value) in headers) setRequestProperty(name, value)
                if (body != null) {
                    doOutput = true
                    outputStream.use { it.write(body) }
                }
                val status = responseCode
                // A cancellation between the steps above ends nothing.
                if (status < 0 || transfer.cancelled) throw IOException("no HTTP")
                val failed = status >= HttpURLConnection.HTTP_BAD_REQUEST
                transfer.body = (if (failed) errorStream else inputStream) ?: ByteArrayInputStream(ByteArray(0))
                val mediaType = contentType.orEmpty().substringBefore(';').trim().lowercase(Locale.ROOT)
                val length = getHeaderField("content-length")?.toLongOrNull()?.takeIf { it >= 0 }
                TransportBeginAnswer(status.toLong(), mediaType, length)
            }
        }
    }

    /** The next bytes of the body. After the last ones the transfer is over. @throws FailureCode.Offline */
    fun read(id: Long): TransportReadAnswer {
        val transfer = transfers[id] ?: throw noSuch("transfer")
        return answering(id, transfer) {
            synchronized(transfer) {
                val body = transfer.body ?: throw messageInvalid("the transfer has no answer yet")
                val buffer = ByteArray(MAX_CHUNK_BYTES)
                var length = 0
                var done = false
                while (length < buffer.size && !done) {
                    val count = body.read(buffer, length, buffer.size - length)
                    if (count < 0) done = true else length += count
                }
                if (done) cancel(id)
                TransportReadAnswer(buffer.copyOf(length), done)
            }
        }
    }

    /** Ends a transfer. Idempotent. Blocks for a moment: it closes a connection. */
    fun cancel(id: Long) {
        val transfer = synchronized(used) {
            used.add(id)
            transfers.remove(id)
        } ?: return
        transfer.cancelled = true
        transfer.connection.disconnect()
    }

    fun cancelAll() {
        transfers.keys.forEach(::cancel)
        synchronized(used) { used.clear() }
    }

    private fun open(url: String): HttpURLConnection {
        val address = try {
            URL(url)
        } catch (_: MalformedURLException) {
            throw messageInvalid("no such address")
        }
        return (address.openConnection() as HttpURLConnection).apply {
            instanceFollowRedirects = false
            useCaches = false
            connectTimeout = CONNECT_TIMEOUT_MS
            readTimeout = READ_TIMEOUT_MS
        }
    }

    private fun <T> answering(id: Long, transfer: Transfer, work: () -> T): T =
        try {
            work()
        } catch (error: SvcException) {
            throw error
        } catch (_: Exception) {
            // The platform's client throws more than IOException where its connection is closed from another thread.
            val cancelled = transfer.cancelled
            cancel(id)
            throw if (cancelled) SvcException(FailureCode.Cancelled, "the page cancelled it") else offline()
        }

    private fun offline() = SvcException(FailureCode.Offline, "the service did not answer")
}
