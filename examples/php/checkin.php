<?php
// An event with its list, a guest enrolled from a photo and looked up: php checkin.php photo.png
declare(strict_types=1);
// Keeps arguments, such as photos, out of stack traces.
ini_set('zend.exception_ignore_args', '1');

/** @return array the decoded answer; a refusal is an exception whose code is the status and whose text is the code */
function call(string $method, string $path, array|string $body = '', string $type = 'application/json'): array
{
    $headers = ['X-Api-Key: ' . getenv('SVC_API_KEY'), "Content-Type: $type"];
    // Repeat a request with the same key, and it has no second effect.
    if ($method !== 'GET') $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
    $url = (getenv('SVC_URL') ?: 'http://127.0.0.1:3000') . $path;
    $stream = fopen($url, 'r', false, stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => is_array($body) ? json_encode($body, JSON_THROW_ON_ERROR) : $body,
        'ignore_errors' => true,
        'follow_location' => 0,
        'timeout' => 60,
    ]]));
    if ($stream === false) throw new RuntimeException('the service does not answer');
    $status = (int) explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
    $answer = json_decode(stream_get_contents($stream), true) ?? [];
    if ($status > 299) throw new RuntimeException($answer['code'] ?? 'no answer of the service', $status);
    return $answer;
}

/** The photo as bytes: a form of the person as JSON, and a part with the file. */
function enrol(string $listId, string $personId, array $person, string $photo): array
{
    $boundary = bin2hex(random_bytes(16));
    $part = fn (string $name, string $type, string $content) =>
        "--$boundary\r\nContent-Disposition: form-data; name=\"$name\"\r\nContent-Type: $type\r\n\r\n$content\r\n";
    $form = $part('person', 'application/json', json_encode($person, JSON_THROW_ON_ERROR))
        . $part('photo', 'application/octet-stream', $photo) . "--$boundary--\r\n";
    $path = "/v1/lists/$listId/people/" . rawurlencode($personId);
    return call('PUT', $path, $form, "multipart/form-data; boundary=$boundary");
}

$photo = file_get_contents($argv[1]);
$at = fn (string $when) => gmdate('Y-m-d\TH:i:s\Z', strtotime($when));
$event = call('POST', '/v1/events', [
    'name' => 'Summer concert', 'startsAt' => $at('+7 days'), 'endsAt' => $at('+175 hours'), 'country' => 'DE',
]);
$list = call('POST', '/v1/lists', ['name' => 'Ticket holders', 'eventId' => $event['eventId']]);
$ticket = 'T-' . bin2hex(random_bytes(16));
try {
    enrol($list['listId'], $ticket, ['consent' => [
        'consentVersion' => $list['consentVersion'], // The wording that you have shown.
        'givenAt' => $at('now'),
        'explicitBiometricConsent' => true, // The guest ticks these boxes, never you.
        'writtenRelease' => true,
    ]], $photo);
} catch (RuntimeException $refusal) {
    if ($refusal->getCode() !== 422) throw $refusal;
    exit("another photo, please: {$refusal->getMessage()}\n");
}
$person = call('GET', "/v1/lists/{$list['listId']}/people/" . rawurlencode($ticket));
echo "$ticket is {$person['state']} until {$person['deleteAfter']}\n";
