<?php
// Takes signed notifications: php -S 127.0.0.1:8080 webhook.php
declare(strict_types=1);

$body = file_get_contents('php://input');
$header = fn (string $name) => $_SERVER["HTTP_WEBHOOK_$name"] ?? '';
[$id, $time, $signatures] = array_map($header, ['ID', 'TIMESTAMP', 'SIGNATURE']);
$key = base64_decode(substr((string) getenv('SVC_WEBHOOK_SECRET'), strlen('whsec_')), true);
if ($key === false || strlen($key) < 16) {
    http_response_code(500); // No secret is set; the service sends it again.
    exit;
}
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
// During a rotation there are two signatures.
$signed = array_filter(explode(' ', $signatures), fn (string $signature) => hash_equals($expected, $signature));
if ($signed === [] || abs(time() - (int) $time) > 300) {
    http_response_code(400);
    exit;
}
http_response_code(204);
$notification = json_decode($body, true);
// It may come twice: remember $id. Log only the type, no IDs of people.
error_log($notification['type']);
