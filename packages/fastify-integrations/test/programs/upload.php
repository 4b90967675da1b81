<?php
// Starts a quote from two files, with PHP's curl, which can send one field name only once.
[, $url, $key, $first, $second, $text, $metadata] = $argv;
$request = curl_init($url);
curl_setopt_array($request, [
    CURLOPT_HTTPHEADER => ["X-API-Key: $key"],
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_POSTFIELDS => [
        'requirementsText' => $text,
        'metadata' => $metadata,
        'files[0]' => new CURLFile($first, 'text/markdown', basename($first)),
        'files[1]' => new CURLFile($second, 'text/plain', basename($second)),
    ],
]);
echo curl_exec($request);
