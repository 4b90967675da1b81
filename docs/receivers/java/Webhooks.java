import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  /**
   * Whether a webhook is genuine and recent. Build the lists with Arrays.asList: List.of throws a
   * NullPointerException for an absent header or an unset variable.
   *
   * @param body the raw request body
   * @param timestamp the value of X-Service-Timestamp
   * @param signatures the values of X-Service-Signature and X-Service-Signature-Previous, if present
   * @param secrets the signing secrets, whsec_ included; several while you replace one
   * @throws IllegalArgumentException if a secret is missing or surrounded by white space or quotes: respond with 500
   */
  static boolean verify(
      byte[] body, String timestamp, List<String> signatures, List<String> secrets, Instant now)
      throws GeneralSecurityException {
    if (secrets.isEmpty()) checkSecret(null);
    secrets.forEach(Webhooks::checkSecret);
    if (!isRecent(timestamp, now)) return false;
    for (String secret : secrets) {
      byte[] digest = hmac(secret.getBytes(UTF_8), timestamp + ".", body);
      byte[] expected = ("v1=" + HexFormat.of().formatHex(digest)).getBytes(UTF_8);
      for (String sent : String.join(",", signatures).split(",")) {
        if (MessageDigest.isEqual(expected, sent.strip().getBytes(UTF_8))) return true;
      }
    }
    return false;
  }

  /**
   * The same with the headers of Standard Webhooks.
   *
   * @param id the value of webhook-id; null if absent, like the next two
   * @param timestamp the value of webhook-timestamp
   * @param signatures the value of webhook-signature
   */
  static boolean verifyStandard(
      byte[] body, String id, String timestamp, String signatures, String secret, Instant now)
      throws GeneralSecurityException {
    checkSecret(secret);
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    if (id == null || id.isEmpty() || signatures == null) return false;
    if (!isRecent(timestamp, now)) return false;
    byte[] digest = hmac(key, id + "." + timestamp + ".", body);
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(digest)).getBytes(UTF_8);
    for (String sent : signatures.split(" ")) {
      if (MessageDigest.isEqual(expected, sent.getBytes(UTF_8))) return true;
    }
    return false;
  }

  private static void checkSecret(String secret) {
    if (secret == null || secret.isEmpty() || secret.equals("whsec_")) {
      throw new IllegalArgumentException(
          "The signing secret is missing or empty. Is its environment variable set?");
    }
    if (!secret.strip().replaceAll("^[\"'`]|[\"'`]$", "").equals(secret)) {
      throw new IllegalArgumentException(
          "The signing secret has white space or quotes around it. Remove them where the secret is set.");
    }
  }

  private static boolean isRecent(String timestamp, Instant now) {
    if (timestamp == null || !timestamp.matches("[0-9]{10}")) return false;
    Instant signedAt = Instant.ofEpochSecond(Long.parseLong(timestamp));
    return Duration.between(signedAt, now).abs().compareTo(TOLERANCE) <= 0;
  }

  private static byte[] hmac(byte[] key, String prefix, byte[] body)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update(prefix.getBytes(UTF_8));
    return mac.doFinal(body);
  }
}
