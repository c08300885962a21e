# A cache of what devices fetch by link, for SVC_PAYLOADS_URL; Varnish 6 or later. TLS ends in front of it.
vcl 4.1;

backend service {
  .host = "127.0.0.1";
  .port = "3000";
}

sub vcl_recv {
  if (req.url !~ "^/v1/packs/" || (req.method != "GET" && req.method != "HEAD")) {
    return (synth(404));
  }
  # The link says everything: one object for all callers, whatever host they name.
  set req.http.Host = "packs";
  unset req.http.Cookie;
  unset req.http.Authorization;
  return (hash);
}

sub vcl_backend_response {
  # Not a second longer than the link works.
  set beresp.grace = 0s;
  set beresp.keep = 0s;
}
