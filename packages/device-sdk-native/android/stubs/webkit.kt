// What the shell overrides: of API 21, 24 and 26.
package android.webkit

abstract class RenderProcessGoneDetail

@Suppress("UNUSED_PARAMETER")
open class WebViewClient {
    open fun shouldInterceptRequest(view: WebView, request: WebResourceRequest): WebResourceResponse? = null

    open fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest): Boolean = false

    open fun onPageFinished(view: WebView, url: String) = Unit

    open fun onRenderProcessGone(view: WebView, detail: RenderProcessGoneDetail): Boolean = false
}
