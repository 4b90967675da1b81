<?php

const TOLERANCE_SECONDS = 300;

/**
 * Whether a webhook is genuine and recent.
 *
 * @param string $body the raw request body: file_get_contents('php://input')
 * @param ?string $timestamp $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? null
 * @param list<?string> $signatures HTTP_X_SERVICE_SIGNATURE and HTTP_X_SERVICE_SIGNATURE_PREVIOUS, null if absent
 * @param list<string> $secrets the signing secrets, whsec_ included; several while you replace one
 * @throws InvalidArgumentException if a secret is missing or surrounded by white space or quotes: respond with 500
 */
function verify(string $body, ?string $timestamp, array $signatures, array $secrets, ?int $now = null): bool
{
    array_map('checkSecret', $secrets ?: [null]);
    if (!isRecent($timestamp, $now)) {
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

/**
 * The same with the headers of Standard Webhooks.
 *
 * @param ?string $id $_SERVER['HTTP_WEBHOOK_ID'] ?? null
 * @param ?string $timestamp $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? null
 * @param ?string $signatures $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? null
 */
function verifyStandard(string $body, ?string $id, ?string $timestamp, ?string $signatures, ?string $secret, ?int $now = null): bool
{
    checkSecret($secret);
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if (in_array($key, [false, ''], true)) {
        throw new InvalidArgumentException('The signing secret is not Base64 after whsec_.');
    }
    if (($id ?? '') === '' || !isRecent($timestamp, $now)) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures ?? '') as $sent) {
        if (hash_equals($expected, $sent)) {
            return true;
        }
    }
    return false;
}

/** @param string|false|null $secret as getenv() returns it */
function checkSecret($secret): void
{
    if (in_array($secret, [null, false, '', 'whsec_'], true)) {
        throw new InvalidArgumentException('The signing secret is missing or empty. Is its environment variable set?');
    }
    if (preg_match('/^[\s"\'`]|[\s"\'`]$/D', $secret)) {
        throw new InvalidArgumentException('The signing secret has white space or quotes around it. Remove them where the secret is set.');
    }
}

function isRecent(?string $timestamp, ?int $now): bool
{
    return preg_match('/^[0-9]{10}$/D', $timestamp ?? '') && abs(($now ?? time()) - (int) $timestamp) <= TOLERANCE_SECONDS;
}
