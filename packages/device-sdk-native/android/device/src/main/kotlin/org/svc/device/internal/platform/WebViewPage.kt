package org.svc.device.internal.platform

import android.Manifest
import android.annotation.SuppressLint
import android.content.Context
import android.content.MutableContextWrapper
import android.content.pm.PackageManager
import android.net.Uri
import android.os.Handler
import android.os.HandlerThread
import android.os.Looper
import android.view.ViewGroup
import android.webkit.ConsoleMessage
import android.webkit.JsPromptResult
import android.webkit.JsResult
import android.webkit.PermissionRequest
import android.webkit.RenderProcessGoneDetail
import android.webkit.WebChromeClient
import android.webkit.WebMessage
import android.webkit.WebMessagePort
import android.webkit.WebResourceRequest
import android.webkit.WebResourceResponse
import android.webkit.WebSettings
import android.webkit.WebView
import android.webkit.WebViewClient
import android.widget.FrameLayout
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode
import org.svc.device.internal.Assets
import org.svc.device.internal.MAX_CHUNK_BYTES
import org.svc.device.internal.PAGE_ORIGIN
import org.svc.device.internal.PAGE_URL
import org.svc.device.internal.Page
import org.svc.device.internal.chromeVersionOf

/** WebAssembly SIMD aside, the page's code needs this version. Android 7 gets 119 from the store. */
private const val OLDEST_CHROME = 91
private const val PORT_MESSAGE = "svc-device-port"

/**
 * The page in a WebView that reaches no network: every request is answered from the app's assets. All but [post] runs
 * on the main thread, the port too: WebView's ports refuse another thread, or corrupt what they send.
 * @param receive takes the page's texts, on a thread of its own
 * @param gone the page's process ended
 */
internal class WebViewPage(
    context: Context,
    private val assets: Assets,
    private val receive: (String) -> Unit,
    private val gone: () -> Unit,
) : Page {
    private val app = context.applicationContext
    private val thread = HandlerThread("svc-device-page").apply { start() }
    private val handler = Handler(thread.looper)
    private val main = Handler(Looper.getMainLooper())
    private var view: WebView? = null
    private var holder: FrameLayout? = null
    private var isDropped = false

    /** Read on WebView's own threads. */
    @Volatile private var chrome: Int? = null

    /** Of the thread that takes the page's texts, which drops those of an earlier port. */
    @Volatile private var port: WebMessagePort? = null

    override fun load() {
        if (isDropped) return
        discard()
        val created = create()
        view = created
        holder?.let(::show)
        created.loadUrl(PAGE_URL)
    }

    override fun post(text: String) {
        main.post { port?.postMessage(WebMessage(text)) }
    }

    override fun drop() {
        isDropped = true
        discard()
        holder = null
        thread.quitSafely()
    }

    /** Shows the page in [place], in place of an earlier one. */
    fun show(place: FrameLayout) {
        if (isDropped) return
        holder = place
        val shown = view ?: return
        (shown.parent as? ViewGroup)?.removeView(shown)
        (shown.context as? MutableContextWrapper)?.baseContext = place.context
        place.addView(shown, ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.MATCH_PARENT)
    }

    fun hide(place: FrameLayout) {
        if (holder !== place) return
        holder = null
        view?.let {
            place.removeView(it)
            (it.context as? MutableContextWrapper)?.baseContext = app
        }
    }

    val isShown: Boolean get() = holder != null

    @SuppressLint("SetJavaScriptEnabled")
    private fun create(): WebView {
        val created = try {
            WebView(MutableContextWrapper(app))
        } catch (_: RuntimeException) {
            // The system's WebView is missing, switched off, or being replaced at this moment.
            throw SvcException(FailureCode.RuntimeFailed, "the system has no WebView now")
        }
        created.settings.apply {
            val version = chromeVersionOf(userAgentString)
            if (version != null && version < OLDEST_CHROME) {
                created.destroy()
                throw SvcException(FailureCode.WebviewTooOld, "WebView $version, at least $OLDEST_CHROME is needed")
            }
            chrome = version
            javaScriptEnabled = true
            blockNetworkLoads = true
            allowFileAccess = false
            allowContentAccess = false
            allowFileAccessFromFileURLs = false
            allowUniversalAccessFromFileURLs = false
            domStorageEnabled = false
            mixedContentMode = WebSettings.MIXED_CONTENT_NEVER_ALLOW
            cacheMode = WebSettings.LOAD_NO_CACHE
            javaScriptCanOpenWindowsAutomatically = false
            setSupportMultipleWindows(false)
            setSupportZoom(false)
            setGeolocationEnabled(false)
            // The camera's picture starts without a touch.
            mediaPlaybackRequiresUserGesture = false
        }
        created.setWebViewClient(Client())
        created.setWebChromeClient(Chrome())
        return created
    }

    private fun discard() {
        val old = view ?: return
        view = null
        port?.close()
        port = null
        (old.parent as? ViewGroup)?.removeView(old)
        (old.context as? MutableContextWrapper)?.baseContext = app
        old.destroy()
    }

    private fun connect(shown: WebView) {
        if (shown !== view || port != null) return
        val (own, theirs) = shown.createWebMessageChannel()
        own.setWebMessageCallback(
            object : WebMessagePort.WebMessageCallback() {
                override fun onMessage(port: WebMessagePort, message: WebMessage) {
                    if (this@WebViewPage.port === own) message.data?.let(receive)
                }
            },
            handler,
        )
        port = own
        shown.postWebMessage(WebMessage(PORT_MESSAGE, arrayOf(theirs)), Uri.parse(PAGE_ORIGIN))
    }

    private inner class Client : WebViewClient() {
        override fun shouldInterceptRequest(view: WebView, request: WebResourceRequest): WebResourceResponse {
            val answer = assets.answer(request.method, request.url.toString(), chrome)
            val reason = if (answer.status < HTTP_BAD_REQUEST) "OK" else "Refused"
            val content = answer.content.buffered(MAX_CHUNK_BYTES)
            return WebResourceResponse(
                answer.mediaType, answer.charset, answer.status, reason, answer.headers, content,
            )
        }

        /** The page never navigates. */
        override fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest): Boolean = true

        override fun onPageFinished(view: WebView, url: String) {
            if (url == PAGE_URL) connect(view)
        }

        /** True keeps the app alive. From API 26: before, a page has no process of its own. */
        override fun onRenderProcessGone(view: WebView, detail: RenderProcessGoneDetail): Boolean {
            if (view === this@WebViewPage.view) {
                discard()
                gone()
            }
            return true
        }
    }

    private inner class Chrome : WebChromeClient() {
        /** The camera alone, for the page's own origin alone, and only if the app has the permission already. */
        override fun onPermissionRequest(request: PermissionRequest) {
            val isOwn = request.origin.toString().removeSuffix("/") == PAGE_ORIGIN
            val isCamera = request.resources.contentEquals(arrayOf(PermissionRequest.RESOURCE_VIDEO_CAPTURE))
            val mayUse = app.checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED
            if (isOwn && isCamera && mayUse) request.grant(request.resources) else request.deny()
        }

        /** Nothing of the page goes into the system's log. */
        override fun onConsoleMessage(message: ConsoleMessage): Boolean = true

        override fun onJsAlert(view: WebView, url: String, message: String, result: JsResult): Boolean = refuse(result)

        override fun onJsConfirm(view: WebView, url: String, message: String, result: JsResult): Boolean =
            refuse(result)

        override fun onJsBeforeUnload(view: WebView, url: String, message: String, result: JsResult): Boolean =
            refuse(result)

        override fun onJsPrompt(
            view: WebView,
            url: String,
            message: String,
            default: String?,
            result: JsPromptResult,
        ): Boolean = refuse(result)

        private fun refuse(result: JsResult): Boolean {
            result.cancel()
            return true
        }
    }

    private companion object {
        const val HTTP_BAD_REQUEST = 400
    }
}
