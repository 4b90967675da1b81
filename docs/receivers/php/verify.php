<?php

const TOLERANCE_SECONDS = 300;

/**
 * Whether a webhook is genuine and recent.
 *
 * @param string $body the raw request body: file_get_contents('php://input')
 * @param ?string $timestamp $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? null
 * @param list<?string> $signatures HTTP_X_SERVICE_SIGNATURE and HTTP_X_SERVICE_SIGNATURE_PREVIOUS, null where one did not come
 * @param list<string> $secrets the signing secrets, whsec_ included; several while you replace one
 */
function verify(string $body, ?string $timestamp, array $signatures, array $secrets, ?int $now = null): bool
{
    if (!preg_match('/^[0-9]{10}$/D', $timestamp ?? '') || in_array('', $secrets, true)) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    foreach ($secrets as $secret) {
        $expected = 'v1=' . hash_hmac('sha256', $timestamp . '.' . $body, $secret);
        foreach (explode(',', implode(',', $signatures)) as $sent) {
            if (hash_equals($expected, trim($sent))) {
                return true;
            }
        }
    }
    return false;
}
