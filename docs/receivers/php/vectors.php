<?php

require __DIR__ . '/verify.php';

while (($line = fgets(STDIN)) !== false) {
    $fields = explode(' ', trim($line));
    $now = (int) array_shift($fields);
    $fields = array_map(fn (string $field) => $field === '-' ? '' : base64_decode($field), $fields);
    [$timestamp, $signature, $previous, $secrets, $body] = $fields;
    try {
        $genuine = isset($fields[5])
            ? verifyStandard($body, $fields[5], $timestamp, $signature, $secrets, $now)
            : verify($body, $timestamp, [$signature, $previous ?: null], explode("\n", $secrets), $now);
        echo $genuine ? "valid\n" : "refused\n";
    } catch (InvalidArgumentException $error) {
        echo $error->getMessage(), "\n";
    }
}
