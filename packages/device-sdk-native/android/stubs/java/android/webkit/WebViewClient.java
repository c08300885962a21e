package android.webkit;

/** What the shell overrides: of API 23, {@code shouldOverrideUrlLoading} of API 24, and of API 26. */
public class WebViewClient {
  /** API 21. */
  public WebResourceResponse shouldInterceptRequest(WebView view, WebResourceRequest request) {
    return null;
  }

  /** API 24. */
  public boolean shouldOverrideUrlLoading(WebView view, WebResourceRequest request) {
    return false;
  }

  public void onPageFinished(WebView view, String url) {}

  /** API 26. */
  public boolean onRenderProcessGone(WebView view, RenderProcessGoneDetail detail) {
    return false;
  }
}
