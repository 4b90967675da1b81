<?php

require __DIR__ . '/verify.php';

while (($line = fgets(STDIN)) !== false) {
    $fields = explode(' ', trim($line));
    $now = (int) array_shift($fields);
    [$timestamp, $signature, $previous, $secrets, $body] = array_map(
        fn (string $field) => $field === '-' ? '' : base64_decode($field),
        $fields,
    );
    $genuine = verify($body, $timestamp, [$signature, $previous ?: null], explode("\n", $secrets), $now);
    echo $genuine ? "valid\n" : "refused\n";
}
